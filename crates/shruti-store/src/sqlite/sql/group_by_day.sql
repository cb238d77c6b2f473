GROUP BY day, voice, language ORDER BY day, voice, language
