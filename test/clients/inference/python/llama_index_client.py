# LlamaIndex: completion, chat and a stream.
import os

from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike

model = OpenAILike(
    model="openai/gpt-oss-120b",
    api_base=os.environ["OPENAI_BASE_URL"],
    api_key=os.environ["OPENAI_API_KEY"],
    is_chat_model=True,
    context_window=128000,
    max_tokens=200,
)
question = [ChatMessage(role="user", content="What is a region?")]
assert model.complete("What is a region?").text
assert model.chat(question).message.content
assert [chunk.delta for chunk in model.stream_chat(question)][-1] is not None
print("done")
