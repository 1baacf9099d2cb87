"""A server's address -> where it leads and how it may be shown; a variable's name -> whose API key it holds."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

# Where the models of a provider or family are asked unless somebody says otherwise.
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
# A backslash, a blank or a control sign is read differently by different clients, so none may stand in an address.
_ODD = re.compile(r"[^\x21-\x7e]|\\")


def check_address(url: str) -> str:
    """Return the address as it is.

    Raises:
        ValueError: it is no plain http or https address with a host. The address is not in the message.
    """
    if _ODD.search(url):
        raise ValueError("an address has no blanks, backslashes or letters outside ASCII (write xn--… for such a name)")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ValueError("this is no address: write http://HOST:PORT/PATH or https://…") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError("an address begins with http:// or https://, and a host follows")
    return url


def mask_address(url: str) -> str:
    """Return the address without what may be secret in it: names, passwords and the values of a query."""
    parts = _split(url)
    if parts is None:
        return _HIDDEN
    named = f"{_HIDDEN}@" if "@" in parts.netloc else ""
    query = f"?{_HIDDEN}" if parts.query or parts.fragment else ""
    return f"{parts.scheme}://{named}{parts.netloc.rpartition('@')[2]}{parts.path}{query}"


def origin_of(url: str) -> str:
    """Return scheme, host and port, and nothing else of the address."""
    parts = _split(url)
    return _HIDDEN if parts is None else f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def is_on_this_machine(url: str) -> bool:
    """Return whether the address names loopback, so that nothing sent to it leaves this machine."""
    parts = _split(url)
    host = (parts.hostname or "").rstrip(".") if parts is not None else ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def is_unencrypted(url: str) -> bool:
    """Return whether what is sent there can be read on the way: plain http beyond this machine."""
    return not url.startswith("https:") and not is_on_this_machine(url)


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        return parts if parts.hostname else None
    except ValueError:
        return None


class _Vendor(NamedTuple):
    """Whom a variable belongs to: a provider of models, if it is one, and the hosts that may be sent its value."""

    name: str
    provider: str | None = None
    hosts: tuple[str, ...] = ()


_SERVES_MODELS = {
    "ANTHROPIC CLAUDE": _Vendor("Anthropic", "anthropic", ("anthropic.com",)),
    "OPENAI": _Vendor("OpenAI", "openai", ("api.openai.com",)),
    "GOOGLE GEMINI VERTEX": _Vendor("Google", "google", ("googleapis.com",)),
    "AZURE": _Vendor("Azure", None, ("openai.azure.com", "services.ai.azure.com", "cognitiveservices.azure.com")),
    "GITHUB GH": _Vendor("GitHub", None, ("models.github.ai",)),
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

# What these hold opens something else than a model: no server that is asked for a narration is sent it.
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
    CODECOV SONAR SNYK NGROK TAILSCALE LOREWRIGHT
"""

_VENDORS: dict[str, _Vendor] = {
    **{prefix: vendor for prefixes, vendor in _SERVES_MODELS.items() for prefix in prefixes.split()},
    **{prefix: _Vendor(prefix) for prefix in _SERVES_NONE.split()},
}
# One's own key for whatever server it is that one has named oneself.
_OF_ANYBODY = frozenset({*KEY_VARIABLES["openai-compatible"], *KEY_VARIABLES["ollama"]})
_ENDINGS = ("_API_KEY", "_TOKEN", "_KEY")
# What a program signs or locks with, and half of what opens a cloud.
_OTHER_SECRETS = ("SECRET_KEY", "ACCESS_KEY", "PRIVATE_KEY", "SIGNING_KEY", "ENCRYPTION_KEY", "MASTER_KEY", "SSH_KEY")


def check_key_variable(variable: str, *, provider: str, address: str | None) -> None:
    """Refuse a variable that settings may not name as the API key of a model.

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
    if name.endswith(_OTHER_SECRETS):
        raise ValueError(f"{variable} is the name of another secret, not of an API key")
    vendor = _VENDORS.get(name.partition("_")[0])
    if vendor is None or (address is None and vendor.provider == provider):
        return
    if address is not None and address.startswith("https:") and _is_at(address, vendor.hosts):
        return
    where = mask_address(address) if address is not None else OWN_SERVERS.get(provider, "another server")
    raise ValueError(f"{variable} holds a key of {vendor.name}, which is not for {where}")


def _is_at(address: str, hosts: tuple[str, ...]) -> bool:
    host = (urlsplit(address).hostname or "").rstrip(".")
    return any(host == one or host.endswith(f".{one}") for one in hosts)
