# OpenAI's own client: OPENAI_BASE_URL and OPENAI_API_KEY lead it here.
from enum import Enum
from typing import List, Optional

import openai
from pydantic import BaseModel

MODEL = "mistralai/Mistral-Small-24B-Instruct"
client = openai.OpenAI()
question = [{"role": "user", "content": "What is a region?"}]

assert MODEL in [model.id for model in client.models.list()]
whole = client.chat.completions.create(model=MODEL, messages=question, seed=1)
stream = client.chat.completions.create(
    model=MODEL, messages=question, seed=1, stream=True, stream_options={"include_usage": True}
)
text = ""
usage = None
for chunk in stream:
    usage = chunk.usage or usage
    for choice in chunk.choices:
        text += choice.delta.content or ""
assert text == whole.choices[0].message.content, text
assert usage == whole.usage, usage


class Course(str, Enum):
    starter = "starter"
    main = "main"


class Node(BaseModel):
    name: str
    course: Course
    note: Optional[str]
    parts: List["Node"]


parsed = client.chat.completions.parse(model=MODEL, messages=question, response_format=Node)
assert isinstance(parsed.choices[0].message.parsed, Node)

vectors = client.embeddings.create(model="BAAI/bge-m3", input=["one", "two"]).data
assert [len(vector.embedding) for vector in vectors] == [1024, 1024]
image = client.images.generate(model="black-forest-labs/FLUX.1-schnell", prompt="a lake", size="256x256")
assert image.data[0].b64_json.startswith("iVBORw0KGgo")
try:
    client.chat.completions.create(model="x/y", messages=question)
    raise SystemExit("an unknown model was taken")
except openai.NotFoundError as error:
    assert error.code == "model_not_found", error.code
print("done")
