SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- A budget of money has a currency, and its amounts beside those of GPU-hours: thousandths of a GPU times milliseconds times
-- millionths of the currency an hour, exact and of any size. Its amount of GPU-hours is 0, and its period has a name that
-- versions of before do not know: under it they start nothing and settle nothing.
ALTER TABLE budget ADD COLUMN currency text COLLATE "C", ADD COLUMN money numeric CHECK (money >= 0);

-- Use without a price in the currency, in thousandths of a GPU times milliseconds, is in no amount.
ALTER TABLE budget_use
  ADD COLUMN money_spent numeric NOT NULL DEFAULT 0,
  ADD COLUMN money_reserved numeric NOT NULL DEFAULT 0,
  ADD COLUMN unpriced numeric NOT NULL DEFAULT 0;

-- What a millisecond is reserved at, in the unit of the budget; of GPU-hours it is milli.
ALTER TABLE budget_charge ADD COLUMN weight bigint;
