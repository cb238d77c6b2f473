SELECT day, voice, language, sum(chars) AS chars, sum(requests) AS requests, sum(audio_ms) AS audio_ms
FROM usage
WHERE day BETWEEN :first AND :last
