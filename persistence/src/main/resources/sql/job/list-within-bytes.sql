-- The first jobs of a page whose specs fit into this length together, at least one. found is the number of jobs of the page.
SELECT * FROM (
  SELECT page.*, count(*) OVER () AS found, row_number() OVER (/*order*/) AS place,
         sum(octet_length(CAST(spec AS text))) OVER (/*order*/) AS bytes
  FROM (
/*page*/
  ) AS page
) AS measured
WHERE bytes <= :bytes OR place = 1
/*order*/
