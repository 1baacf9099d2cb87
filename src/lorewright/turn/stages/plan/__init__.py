"""The stage `plan`: judged actions -> the next beats of the scene."""
