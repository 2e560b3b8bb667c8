SET LOCAL ROLE fairlead_owner;

-- One row. The incarnation is the high part of terms and event positions; an operator raises it when a restored copy
-- becomes the live database.
CREATE TABLE installation (
  only_row    boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
  id          uuid        NOT NULL,
  incarnation smallint    NOT NULL CHECK (incarnation > 0),
  created_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE lease (
  name       text        COLLATE "C" PRIMARY KEY,
  holder     text        NOT NULL,
  term       bigint      NOT NULL,
  renewals   bigint      NOT NULL DEFAULT 0,
  released   boolean     NOT NULL DEFAULT false,
  renewed_at timestamptz NOT NULL DEFAULT now()
);

-- Apart from the lease, so that a renewal never waits for the transactions that hold the fence.
CREATE TABLE fence (
  name text   COLLATE "C" PRIMARY KEY,
  term bigint NOT NULL
);
