"""The prepaid wallet: hold, commit, release."""
from parts import Fail


class Wallet:
    def take_hold(self, ctx, price):
        """live: hold the price before anything upstream happens"""
        d = self.d
        a = ctx.acct
        ctx.price = price
        ctx.snapshot = a.balance
        if ctx.env != "live":
            if d("sandbox_wallet_enforced"):
                a.sandbox_calls += 1
                if a.sandbox_calls > 40:
                    raise Fail("insufficient")
            if d("sandbox_needs_wallet") and a.balance < price:
                raise Fail("insufficient")
            return
        if d("wallet_goes_negative") or (d("insufficient_not_for_bundles") and ctx.bundle) or (d("insufficient_only_when_zero") and a.balance > 0):
            ctx.hold = price
            a.held += price
            return
        free = a.balance - (0 if d("hold_absent") else a.held)
        if free < price or (d("wallet_reserve_required") and free <= price):
            if d("insufficient_charges"):
                a.balance = max(0, a.balance - 10)
            raise Fail("insufficient")
        ctx.hold = price
        a.held += price

    def release(self, ctx):
        if ctx.hold:
            if not self.d("hold_not_released_on_failure") and not (self.d("bundle_hold_leaks") and ctx.bundle):
                ctx.acct.held -= ctx.hold
            ctx.hold = 0

    def commit(self, ctx, amount=None, no_record=False):
        """-> paise charged"""
        d = self.d
        a = ctx.acct
        amount = ctx.hold if amount is None else amount
        if not d("hold_kept_after_no_record" if no_record else "hold_kept_after_success"):
            a.held -= ctx.hold
        ctx.hold = 0
        debit = amount
        if self.anyD:
            a.ncharges += 1
            if d("wallet_decrement_twice"):
                debit *= 2
            if d("wallet_rounded_down"):
                debit = -(-debit // 100) * 100
            if d("wallet_drifts") and a.ncharges % 10 == 0:
                debit = 0
            if d("wallet_not_decremented"):
                debit = 0
            if self.pd("overdebit", ctx.endpoint) is not None:
                debit += 100
            if d("bundle_billed_per_step_too") and ctx.bundle:
                debit += 500
        if d("hold_lost_update") and ctx.snapshot is not None:
            a.balance = ctx.snapshot
        a.balance -= debit
        if self.h("wallet_topped_up"):
            a.ntopped += 1
            if a.ntopped % 60 == 0:
                a.balance += 10_000_00
        return amount

    def charge_anyway(self, ctx, price):                             # for defects only
        if ctx.hold:
            ctx.acct.held -= ctx.hold
            ctx.hold = 0
        ctx.acct.balance -= price
        return price
