from lorewright.bootstrap import open_app as open_app
from lorewright.errors import LorewrightError as LorewrightError
from lorewright.index.lore_indexer import LoreIndexer as LoreIndexer
from lorewright.lore_bootstrap import make_workspace as make_workspace
from lorewright.lore_bootstrap import open_lore as open_lore
from lorewright.packs.pack_loader import PackLoader as PackLoader
from lorewright.retrieval.query import LoreRetrievalQuery as LoreRetrievalQuery
from lorewright.retrieval.query import LoreRetrievalResult as LoreRetrievalResult
from lorewright.rules.actions import Action as Action
from lorewright.rules.patch import Validation as Validation
from lorewright.scene_lore.cache import SceneLoreCache as SceneLoreCache
from lorewright.scene_lore.lore_retriever import LoreRetriever as LoreRetriever
from lorewright.scene_lore.models import NPCBriefing as NPCBriefing
from lorewright.values.packet import ContextPacket as ContextPacket
from lorewright.values.records import TurnResult as TurnResult

__version__: str
