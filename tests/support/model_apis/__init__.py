"""A server on loopback that speaks the APIs of Anthropic, OpenAI and Google."""

from support.model_apis.faults import Fault, Raw
from support.model_apis.server import ModelServer
from support.model_apis.wire import Asked, Said, Use

__all__ = ["Asked", "Fault", "ModelServer", "Raw", "Said", "Use"]
