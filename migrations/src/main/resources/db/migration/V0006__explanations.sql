SET LOCAL ROLE fairlead_owner;

-- Why jobs wait: a read model, by class of equal jobs.
CREATE TABLE explanation (
  class_key   text        COLLATE "C" PRIMARY KEY,
  computed_at timestamptz NOT NULL,
  body        jsonb       NOT NULL
);

CREATE TABLE job_explanation (
  job       uuid        PRIMARY KEY REFERENCES job ON DELETE CASCADE,
  tenant    uuid        NOT NULL,
  class_key text        COLLATE "C" NOT NULL,
  since     timestamptz NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX job_explanation_class ON job_explanation (class_key);
