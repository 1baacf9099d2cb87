from lorewright.bootstrap import open_app as open_app
from lorewright.errors import LorewrightError as LorewrightError
from lorewright.lore_bootstrap import make_workspace as make_workspace
from lorewright.lore_bootstrap import open_lore as open_lore
from lorewright.retrieval.query import LoreRetrievalQuery as LoreRetrievalQuery
from lorewright.retrieval.query import LoreRetrievalResult as LoreRetrievalResult
from lorewright.rules.actions import Action as Action
from lorewright.rules.patch import Validation as Validation
from lorewright.values.records import TurnResult as TurnResult

__version__: str
