from openai import OpenAI

client = OpenAI(
    base_url="https://gateway.example.com/v1",
    api_key="not-needed",
    default_headers={"x-wallet-address": "0xYourAddress"}
)
stream = client.chat.completions.create(
    model="operator",
    messages=[{"role": "user", "content": "what is gas on base?"}],
    stream=True,
)
for chunk in stream:
    if chunk.choices[0].delta.content:
        print(chunk.choices[0].delta.content, end="")
