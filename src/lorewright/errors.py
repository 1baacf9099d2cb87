"""Every error that a person can cause or fix, grouped by who must act.

    LorewrightError
    ├── PackError            the pack author
    ├── ScenarioError        the scenario author
    ├── RulesetError         the ruleset author
    ├── SettingsError        the operator: settings, workspace, command line
    │   ├── NotAgreed            the user who pays: a paid model was not asked, for nobody has agreed to it
    │   ├── NotTrusted           the user: a workspace's settings would send something away, and nobody has allowed it
    │   └── ExtraMissing         the operator: a command needs a library that was not installed with the rest
    ├── NotFound             the caller: it named a thing that does not exist
    ├── StaleIndexError      the operator: an index is missing, or was made by another version
    ├── EmbedderError        the operator: weights are missing, a key is not set, a server does not answer
    ├── DamagedFile          the operator: a file of ours holds other bytes than were written
    ├── FileUnavailable      the operator: a file cannot be read or written now; it need not be damaged
    │   ├── DiskFull             there is no room for what should be written
    │   ├── ReadOnly             the disk or the rights of a folder allow no writing
    │   ├── DatabaseUnavailable  PostgreSQL does not answer, or refused what was written
    │   ├── LoreStoreUnavailable the object storage that packs come from does not answer
    │   └── Busy                 another process held the file for too long
    ├── UnsafePath           the operator: a link, or a name that leads out, where only files of ours belong
    ├── CampaignError        the player
    │   ├── HeadMoved            someone else's turn was committed first; nothing of this one was
    │   ├── ActionIdReused       the same action ID came with other words
    │   ├── TurnUndone           the action ID's turn was taken back; nothing was played
    │   ├── EditRefused          a change from outside does not fit; nothing of it was made
    │   ├── ImportRefused        a predecessor's database has unreadable contents; nothing was imported
    │   └── StateMisfit          what is stored does not fit the schemas of the campaign's ruleset
    ├── AccessRefused        the caller of a service: the account, seat or token does not allow it
    │   ├── NotSignedIn          no account is known of the request
    │   └── TooManyRequests      the account, or the address, asked too often
    ├── NotPlayed            the user of a chat's client: what it asks for is no turn
    │   └── UnknownAnswer        the chat's last answer was not told at the table
    ├── ServiceError         the user of a client: a service cannot be reached, or refuses for a reason of its own
    ├── PromptError          the author of a prompt: it cannot be read or filled in
    └── ProviderError        the model's provider
        ├── ProviderBusy         it did not answer in time, or not at all, after bounded retries
        ├── ModelRefused         the model declined to answer
        ├── BudgetExceeded       the next call could cost more than was allowed; it was not made
        └── OutputRejected       a model's output stayed invalid after a repair and a retry

Any other exception is a bug of ours and shows as a traceback. A message says what, where and what to do.
"""

from __future__ import annotations


class LorewrightError(Exception):
    """An error with a stable `code` for programs and a `hint` that says how to fix it."""

    code = "error"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class PackError(LorewrightError):
    """A pack cannot be read as intended; nothing of it was installed."""

    code = "pack_invalid"


class ScenarioError(LorewrightError):
    """A scenario cannot be read as intended; no campaign was made."""

    code = "scenario_invalid"


class RulesetError(LorewrightError):
    """A ruleset cannot be read as intended; nothing was made of it."""

    code = "ruleset_invalid"


class SettingsError(LorewrightError):
    """The settings, the workspace or an option are invalid."""

    code = "settings_invalid"


class NotAgreed(SettingsError):
    """A campaign would ask a model that costs money, and nobody has agreed to it yet; nothing was sent."""

    code = "not_agreed"


class NotTrusted(SettingsError):
    """Settings that came with a workspace would send something to a server, or load a foreign model, and the user has
    not allowed it; nothing was sent."""

    code = "not_trusted"


class ExtraMissing(SettingsError):
    """A command needs a library of an extra that is not installed; the hint has the line that installs it."""

    code = "extra_missing"


class NotFound(LorewrightError):
    """Something was named that does not exist: a pack, a campaign, an entity, a chunk."""

    code = "not_found"


class StaleIndexError(LorewrightError):
    """An index is missing, or was made by another version or embedder."""

    code = "index_stale"


class EmbedderError(LorewrightError):
    """Texts cannot be embedded. Vectors made before are kept, and search by keywords works without."""

    code = "embedder_failed"


class DamagedFile(LorewrightError):
    """A file of ours holds other bytes than were written; nothing was written."""

    code = "file_damaged"


class FileUnavailable(LorewrightError):
    """A file cannot be read or written now: no permission, no descriptor, a failing disk. It need not be damaged."""

    code = "file_unavailable"


class DiskFull(FileUnavailable):
    """There is no room on the disk; unfinished changes were undone."""

    code = "disk_full"


class ReadOnly(FileUnavailable):
    """The disk, or the permissions of a file or its folder, allow no writing."""

    code = "read_only"


class DatabaseUnavailable(FileUnavailable):
    """PostgreSQL does not answer, or refused what was written."""

    code = "database_unavailable"


class LoreStoreUnavailable(FileUnavailable):
    """The object storage that packs are fetched from, or pushed to, does not answer; nothing was changed."""

    code = "lore_store_unavailable"


class Busy(FileUnavailable):
    """Another process held a file or its lock until the timeout."""

    code = "busy"


class UnsafePath(LorewrightError):
    """A link, or a name that leads out of its folder, where only files of ours belong; it was not followed."""

    code = "unsafe_path"


class CampaignError(LorewrightError):
    """A campaign cannot do what was requested; it is unchanged."""

    code = "campaign_error"


class HeadMoved(CampaignError):
    """Another turn was committed while this one was being made; nothing of this one is stored but its attempt."""

    code = "head_moved"


class ActionIdReused(CampaignError):
    """The action ID was used before, with other words; the stored turn is unchanged."""

    code = "action_id_reused"


class TurnUndone(CampaignError):
    """The action ID's turn was taken back; nothing was played."""

    code = "turn_undone"


class EditRefused(CampaignError):
    """A change from outside does not fit, and nothing was changed: `index` is the op's place, `reason` a code, `field`
    the path of an op that has one."""

    code = "edit_refused"

    def __init__(
        self, message: str, *, hint: str | None = None, index: int = 0, reason: str = "", field: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.index = index
        self.reason = reason
        self.field = field


class StateMisfit(CampaignError):
    """A stored state does not fit the schemas of its ruleset; the message names the field. Nothing was changed."""

    code = "state_misfit"


class ImportRefused(CampaignError):
    """A file is not a predecessor's database, or it has unreadable contents; the message names table and row. Nothing
    was imported."""

    code = "import_refused"


class AccessRefused(LorewrightError):
    """The account, seat or token of a request to a service does not allow it; nothing was done."""

    code = "access_refused"


class NotSignedIn(AccessRefused):
    """A request to a service has neither a session nor a valid token; nothing was done."""

    code = "not_signed_in"


class TooManyRequests(AccessRefused):
    """An account or an address has asked too often; `retry_after_s` is how long it should wait."""

    code = "too_many_requests"

    def __init__(self, message: str, *, hint: str | None = None, retry_after_s: float = 1.0) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


class NotPlayed(LorewrightError):
    """A request of a chat plays no turn, and nothing was played; `reason` is a code."""

    code = "not_played"

    def __init__(self, message: str, *, hint: str | None = None, reason: str = "") -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


class UnknownAnswer(NotPlayed):
    """The last answer of a chat was not told at this table, so that nothing says where its words go."""

    code = "unknown_answer"


class ServiceError(LorewrightError):
    """A service that a client asked cannot be reached, or refuses for a reason that is no error of this library, such
    as a body that does not fit. `status` is that of its answer, None without one; `code` is the service's own."""

    code = "service_failed"

    def __init__(
        self, message: str, *, hint: str | None = None, code: str | None = None, status: int | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.code = code or type(self).code
        self.status = status


class PromptError(LorewrightError):
    """A prompt cannot be read, or uses a variable that does not exist; no model was asked."""

    code = "prompt_invalid"


class ProviderError(LorewrightError):
    """A model could not be reached or refused; the turn was not committed. `tries` lists the failed attempts."""

    code = "provider_failed"

    def __init__(self, message: str, *, hint: str | None = None, tries: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.tries = tries


class ProviderBusy(ProviderError):
    """A provider was busy, unreachable or broke off, through all retries; the turn was not committed. `retry_after_s`
    is how long it asks to wait, where it says so."""

    code = "provider_busy"

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        tries: tuple[str, ...] = (),
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message, hint=hint, tries=tries)
        self.retry_after_s = retry_after_s


class ModelRefused(ProviderError):
    """A model declined to answer; the turn was not committed."""

    code = "model_refused"


class BudgetExceeded(ProviderError):
    """The next call to a model could cost more than was allowed, so it was not made; the turn was not committed."""

    code = "budget_exceeded"


class OutputRejected(ProviderError):
    """A model's output stayed invalid after one repair and one retry; the turn was not committed."""

    code = "output_rejected"
