# LangChain: a chat with tools, structured output, and embeddings.
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel, Field

MODEL = "meta-llama/Llama-3.3-70B-Instruct"
model = ChatOpenAI(model=MODEL, max_tokens=200)


@tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return "21 degrees"


answer = model.invoke("What is a region?")
assert answer.content and answer.usage_metadata["output_tokens"] > 0
assert "".join(chunk.content for chunk in model.stream("What is a region?"))

messages = [HumanMessage("Please call get_weather for Berlin.")]
called = model.bind_tools([get_weather]).invoke(messages)
[call] = called.tool_calls
result = ToolMessage(get_weather.invoke(call["args"]), tool_call_id=call["id"])
assert "21 degrees" in model.invoke([*messages, called, result]).content


class Person(BaseModel):
    name: str
    age: int = Field(ge=0, le=130)


assert isinstance(model.with_structured_output(Person).invoke("A person"), Person)

embeddings = OpenAIEmbeddings(model="BAAI/bge-m3", check_embedding_ctx_length=False)
assert [len(vector) for vector in embeddings.embed_documents(["one", "two"])] == [1024, 1024]
print("done")
