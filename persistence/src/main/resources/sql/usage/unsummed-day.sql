-- The newest past day without sums.
SELECT d
FROM generate_series((SELECT min(start_ms) - min(start_ms) % 86400000 FROM use_fact WHERE kind = 'USE' AND period = 'HOUR'),
                     (SELECT open_ms - open_ms % 86400000 - 86400000 FROM usage_watermark), 86400000) AS d
WHERE NOT EXISTS (SELECT FROM usage_day_summed s WHERE s.day_ms = d)
ORDER BY d DESC
LIMIT 1
