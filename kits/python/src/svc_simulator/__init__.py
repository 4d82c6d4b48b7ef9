"""Test helpers for the Verification Service simulator: start it, open accounts, move clocks, receive webhooks."""

from .account import Account, Clock, Deliveries, Scenarios, Wallet
from .binary import BinaryNotFound, find_binary
from .client import AsyncClient, Client
from .control import Control, ControlError
from .personas import Persona, Personas
from .result import NoData, Result, ServiceError, TransportError
from .signature import HEADER_NAME, sign, signature_fault
from .simulator import Simulator, StartedSimulator, StartFailed
from .webhook_inbox import NoWebhook, Webhook, WebhookInbox

__all__ = [
    "HEADER_NAME", "Account", "AsyncClient", "BinaryNotFound", "Client", "Clock", "Control", "ControlError",
    "Deliveries", "NoData", "NoWebhook", "Persona", "Personas", "Result", "Scenarios", "ServiceError", "Simulator",
    "StartFailed", "StartedSimulator", "TransportError", "Wallet", "Webhook", "WebhookInbox", "find_binary", "sign",
    "signature_fault",
]
