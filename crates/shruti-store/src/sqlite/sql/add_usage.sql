INSERT INTO usage (prefix, day, voice, language, chars, requests, audio_ms)
VALUES (:prefix, :day, :voice, :language, :chars, :requests, :audio_ms)
ON CONFLICT (prefix, day, voice, language) DO UPDATE
SET chars = chars + :chars, requests = requests + :requests, audio_ms = audio_ms + :audio_ms
