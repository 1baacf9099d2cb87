"""A server's address -> where it leads and how it may be shown; a variable's name -> whose API key it holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

# The server at which a provider's or family's models are asked, unless settings name another.
OWN_SERVERS = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com/v1",
    "google": "https://generativelanguage.googleapis.com",
    "deepseek": "https://api.deepseek.com",
    "ollama": "http://127.0.0.1:11434/v1",
    "voyage": "https://api.voyageai.com/v1",
}

# The variables that hold the API key of a provider or family, in the order in which they are looked at.
KEY_VARIABLES: dict[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "ollama": ("OLLAMA_API_KEY",),
    "openai-compatible": ("OPENAI_COMPATIBLE_API_KEY",),
    "voyage": ("VOYAGE_API_KEY",),
}

_HIDDEN = "[hidden]"
# The longest name of a host in DNS; a longer address than the other bound is no address of an API.
_LONGEST_HOST = 253
_LONGEST_ADDRESS = 2_000
# The most characters of a path that are shown; scheme, host and port are always shown whole.
_LONGEST_PATH = 80
# A backslash, a blank or a control sign is read differently by different clients, so none may stand in an address.
_ODD = re.compile(r"[^\x21-\x7e]|\\")


def check_address(url: str) -> str:
    """Return the address as it is.

    Raises:
        ValueError: it is no plain http or https address with a host, or far too long for one. The address is not in
            the message.
    """
    if len(url) > _LONGEST_ADDRESS:
        raise ValueError(f"an address has at most {_LONGEST_ADDRESS} characters")
    if _ODD.search(url):
        raise ValueError("an address has no blanks, backslashes or letters outside ASCII (write xn--… for such a name)")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ValueError("this is no address: write http://HOST:PORT/PATH or https://…") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError("an address begins with http:// or https://, and a host follows")
    if len(host) > _LONGEST_HOST:
        raise ValueError(f"the host of an address has at most {_LONGEST_HOST} characters")
    return url


def choose_address(family: str, base_url: str | None, base_urls: Mapping[str, str]) -> str | None:
    """Return the address at which settings have a model asked: the `base_url` of its own row, else that of its family
    in `base_urls`, else the family's own server; None where none of them is known.

    All code that asks a model, shows its address or checks its key takes the address from here.
    """
    return base_url or base_urls.get(family) or OWN_SERVERS.get(family)


def mask_address(url: str) -> str:
    """Return the address without what may be secret in it: names, passwords and the values of a query. Of a long path
    only the beginning is shown."""
    parts = _split(url)
    if parts is None:
        return _HIDDEN
    named = f"{_HIDDEN}@" if "@" in parts.netloc else ""
    query = f"?{_HIDDEN}" if parts.query or parts.fragment else ""
    path = parts.path if len(parts.path) <= _LONGEST_PATH else f"{parts.path[:_LONGEST_PATH]}…"
    return f"{parts.scheme}://{named}{parts.netloc.rpartition('@')[2]}{path}{query}"


def origin_of(url: str) -> str:
    """Return scheme, host and port, and nothing else of the address."""
    parts = _split(url)
    return _HIDDEN if parts is None else f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def host_of(url: str) -> str:
    """Return the host of the address in small letters; an empty string where it has none."""
    parts = _split(url)
    return (parts.hostname or "").rstrip(".") if parts is not None else ""


def is_on_this_machine(url: str) -> bool:
    """Return True if the address names loopback, so that nothing sent to it leaves this machine."""
    host = host_of(url)
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def is_unencrypted(url: str) -> bool:
    """Return True if what is sent to the address can be read on the way: plain http beyond this machine."""
    return not url.startswith("https:") and not is_on_this_machine(url)


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        return parts if parts.hostname else None
    except ValueError:
        return None


class _Vendor(NamedTuple):
    """The owner of a variable: a provider of models, if it is one, and the hosts that may be sent its value."""

    name: str
    provider: str | None = None
    hosts: tuple[str, ...] = ()


_SERVES_MODELS = {
    "ANTHROPIC CLAUDE": _Vendor("Anthropic", "anthropic", ("anthropic.com",)),
    "OPENAI": _Vendor("OpenAI", "openai", ("api.openai.com",)),
    "GOOGLE GEMINI VERTEX": _Vendor("Google", "google", ("googleapis.com",)),
    "AZURE": _Vendor("Azure", None, ("openai.azure.com", "services.ai.azure.com", "cognitiveservices.azure.com")),
    "GITHUB GH COPILOT": _Vendor("GitHub", None, ("models.github.ai",)),
    "HF HUGGING HUGGINGFACE": _Vendor("Hugging Face", None, ("huggingface.co",)),
    "DEEPSEEK": _Vendor("DeepSeek", None, ("api.deepseek.com",)),
    "VOYAGE VOYAGEAI": _Vendor("Voyage", None, ("api.voyageai.com",)),
    "MISTRAL MISTRALAI CODESTRAL": _Vendor("Mistral", None, ("api.mistral.ai", "codestral.mistral.ai")),
    "GROQ": _Vendor("Groq", None, ("api.groq.com",)),
    "COHERE CO": _Vendor("Cohere", None, ("api.cohere.com", "api.cohere.ai")),
    "XAI GROK": _Vendor("xAI", None, ("api.x.ai",)),
    "TOGETHER TOGETHERAI": _Vendor("Together", None, ("api.together.xyz", "api.together.ai")),
    "FIREWORKS": _Vendor("Fireworks", None, ("api.fireworks.ai",)),
    "OPENROUTER": _Vendor("OpenRouter", None, ("openrouter.ai",)),
    "PERPLEXITY PPLX": _Vendor("Perplexity", None, ("api.perplexity.ai",)),
    "CEREBRAS": _Vendor("Cerebras", None, ("api.cerebras.ai",)),
    "NVIDIA NGC": _Vendor("NVIDIA", None, ("integrate.api.nvidia.com",)),
    "SAMBANOVA": _Vendor("SambaNova", None, ("api.sambanova.ai",)),
    "DEEPINFRA": _Vendor("DeepInfra", None, ("api.deepinfra.com",)),
    "MOONSHOT KIMI": _Vendor("Moonshot", None, ("api.moonshot.ai", "api.moonshot.cn")),
    "DASHSCOPE": _Vendor("Alibaba", None, ("dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com")),
    "ZHIPU ZHIPUAI ZAI": _Vendor("Zhipu", None, ("open.bigmodel.cn", "api.z.ai")),
    "JINA": _Vendor("Jina", None, ("api.jina.ai",)),
    "REPLICATE": _Vendor("Replicate", None, ("api.replicate.com",)),
}

# The keys of these open other things than models: they are never sent to a server of models.
_SERVES_NONE = """
    AWS AMAZON S3 EC2 GCP GCLOUD FIREBASE ARM ALIBABA ALIYUN TENCENT ORACLE OCI IBM DIGITALOCEAN LINODE HETZNER
    VULTR CLOUDFLARE CF FASTLY HEROKU VERCEL NETLIFY FLY RENDER RAILWAY SUPABASE GITLAB CI BITBUCKET CIRCLE CIRCLECI
    TRAVIS BUILDKITE JENKINS DRONE ACTIONS RUNNER NPM NODE YARN PYPI TWINE UV POETRY HATCH PIP CARGO GEM RUBYGEMS
    NUGET MAVEN SONATYPE DOCKER DOCKERHUB QUAY REGISTRY KUBE KUBERNETES K8S HELM TF TERRAFORM PULUMI ANSIBLE VAULT
    CONSUL NOMAD DATABASE DB PG PGSQL POSTGRES POSTGRESQL MYSQL MARIADB MONGO MONGODB REDIS ELASTIC ELASTICSEARCH
    SNOWFLAKE DATABRICKS CLICKHOUSE PINECONE WEAVIATE QDRANT ALGOLIA TYPESENSE STRIPE PAYPAL SQUARE ADYEN SHOPIFY
    PLAID COINBASE BINANCE SLACK DISCORD TELEGRAM TWILIO SENDGRID MAILGUN MAILCHIMP POSTMARK RESEND TWITTER FACEBOOK
    META INSTAGRAM LINKEDIN REDDIT SPOTIFY YOUTUBE NOTION LINEAR JIRA ATLASSIAN CONFLUENCE ASANA TRELLO AIRTABLE
    ZENDESK HUBSPOT SALESFORCE DROPBOX BOX SENTRY DATADOG DD NEWRELIC GRAFANA PAGERDUTY HONEYCOMB WANDB LANGCHAIN
    LANGSMITH LANGFUSE TAVILY SERPAPI SERPER BRAVE BING ELEVENLABS OKTA AUTH0 CLERK ONEPASSWORD OP BW BITWARDEN
    LASTPASS SSH GPG PGP SOPS AGE SSL TLS JWT DJANGO FLASK RAILS LARAVEL SESSION COOKIE CSRF APP APPLE MAPBOX
    CODECOV SONAR SNYK NGROK TAILSCALE LOREWRIGHT HOMEBREW GITEA FORGEJO CODEBERG CODESPACES HCLOUD CLOUDSDK
    SCALEWAY SCW OVH UPCLOUD EXOSCALE GCS ECR GHCR ARTIFACTORY JFROG NEXUS PACKAGIST COMPOSER CRATES JSR HEX
    INFISICAL DOPPLER KEYRING KEYCHAIN LDAP KERBEROS OAUTH OIDC SAML SSO TOTP OTP VPN WIREGUARD SMTP IMAP FTP
    BACKBLAZE WASABI RESTIC BORG KAGGLE RUNPOD MLFLOW ROBOFLOW PAPERSPACE REPLIT NEON TURSO UPSTASH PLANETSCALE
    KAFKA RABBITMQ KRAKEN INFURA ALCHEMY ETHERSCAN ETHEREUM SOLANA BITCOIN MATRIX MASTODON BLUESKY TWITCH STEAM
    PATREON BUTLER ZOOM FIGMA CONTENTFUL WORDPRESS INTERCOM MIXPANEL POSTHOG LAUNCHDARKLY ROLLBAR BUGSNAG SPLUNK
    OPSGENIE GL GHA GH GIT PAT JOB DO EXPO SURGE SUPERVISOR DEPENDABOT B2 PORKBUN GANDI GODADDY NAMECHEAP BYBIT OKX
    KUCOIN ACCESS AUTH BEARER ID RSA GHTOKEN AWSTOKEN SSHKEY
"""

_VENDORS: dict[str, _Vendor] = {
    **{prefix: vendor for prefixes, vendor in _SERVES_MODELS.items() for prefix in prefixes.split()},
    **{prefix: _Vendor(prefix) for prefix in _SERVES_NONE.split()},
}
# The user's own key for a server that the user has named.
_OF_ANYBODY = frozenset({*KEY_VARIABLES["openai-compatible"], *KEY_VARIABLES["ollama"]})
_ENDINGS = ("_API_KEY", "_TOKEN", "_KEY")
# Secrets that sign or encrypt, and parts of cloud credentials.
_OTHER_SECRETS = ("SECRET_KEY", "ACCESS_KEY", "PRIVATE_KEY", "SIGNING_KEY", "ENCRYPTION_KEY", "MASTER_KEY", "SSH_KEY")
# Words in the names of secrets that open everything or make new keys.
_OTHER_SECRET_WORDS = frozenset(
    "SECRET PRIVATE SIGNING ENCRYPTION MASTER WALLET SEED MNEMONIC REFRESH DEPLOY RECOVERY PASSWORD ADMIN ROOT".split()
)
# A vendor's name of at least this many letters is found within a longer word as well; a shorter name would be found in
# unrelated words.
_TELLING = 6


def check_key_variable(variable: str, *, provider: str, address: str | None) -> None:
    """Refuse a variable that settings may not name as the API key of a model.

    Every word of the name counts, not the first alone: tools put their own name before a vendor's.
    `provider` is whose API the model speaks, `address` where it is asked; None is the provider's own server. A key of
    a well-known vendor may be named for that vendor's own server alone.

    Raises:
        ValueError: it holds something else than an API key by its name, or a key that belongs elsewhere.
    """
    # Windows tells no case apart in names of variables.
    name = variable.upper()
    if name in _OF_ANYBODY:
        return
    if not name.endswith(_ENDINGS):
        raise ValueError(f"{variable} is no name of an API key: such a name ends in _API_KEY, _TOKEN or _KEY")
    if name.endswith(_OTHER_SECRETS) or not _OTHER_SECRET_WORDS.isdisjoint(name.split("_")):
        raise ValueError(f"{variable} is the name of another secret, not of an API key")
    vendors = list(_vendors_in(name))
    # Two vendors in a name mean a vendor that runs the models of another (AZURE_OPENAI); one without models refuses.
    closed = [vendor for vendor in vendors if not vendor.hosts]
    if not vendors or (not closed and any(_may_have(vendor, provider, address) for vendor in vendors)):
        return
    vendor = [*closed, *vendors][0]
    where = mask_address(address) if address is not None else OWN_SERVERS.get(provider, "another server")
    raise ValueError(f"{variable} holds a key of {vendor.name}, which is not for {where}")


def _vendors_in(name: str) -> Iterator[_Vendor]:
    """Yield the vendors whose names stand in the name of a variable, in their order."""
    for word in name.split("_"):
        plain = word.rstrip("0123456789")
        found = _VENDORS.get(word) or _VENDORS.get(plain)
        within = (vendor for known, vendor in _VENDORS.items() if len(known) >= _TELLING and known in word)
        found = found or next(within, None)
        if found is not None:
            yield found


def _may_have(vendor: _Vendor, provider: str, address: str | None) -> bool:
    if address is None:
        return vendor.provider == provider
    return address.startswith("https:") and _is_at(address, vendor.hosts)


def _is_at(address: str, hosts: tuple[str, ...]) -> bool:
    host = host_of(address)
    return any(host == vendor_host or host.endswith(f".{vendor_host}") for vendor_host in hosts)
