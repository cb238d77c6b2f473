SELECT day, prefix, sum(chars) AS chars, sum(requests) AS requests, sum(audio_ms) AS audio_ms
FROM usage
WHERE prefix IN (SELECT prefix FROM keys WHERE account = :account) AND day BETWEEN :first AND :last
GROUP BY day, prefix ORDER BY day, prefix
