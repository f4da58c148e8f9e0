# litellm finds out what went wrong by the status and the text of an error.
import os

import litellm

MODEL = "openai/mistralai/Mistral-Small-24B-Instruct"
PLACE = {"api_base": os.environ["OPENAI_BASE_URL"], "api_key": os.environ["OPENAI_API_KEY"]}


def ask(content, model=MODEL):
    return litellm.completion(model=model, messages=[{"role": "user", "content": content}], num_retries=0, **PLACE)


def failure(*args):
    try:
        ask(*args)
    except Exception as error:
        return type(error)
    return None


assert ask("What is a region?").choices[0].message.content
assert failure("word " * 130_000) is litellm.ContextWindowExceededError
assert failure("x", "openai/x/y") is litellm.NotFoundError
image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
refused = failure([{"type": "text", "text": "What is this?"}, image])
assert refused is not None and issubclass(refused, (litellm.BadRequestError, litellm.UnprocessableEntityError)), refused
print("done")
