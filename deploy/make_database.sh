#!/bin/sh
# Makes the role and the database of the service, once, when PostgreSQL's folder is new. The role is no superuser: row-level
# security holds for it.
set -eu
psql --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --set password="$LOREWRIGHT_PASSWORD" <<'SQL'
CREATE ROLE lorewright LOGIN PASSWORD :'password';
CREATE DATABASE lorewright OWNER lorewright ENCODING 'UTF8' TEMPLATE template0;
SQL
