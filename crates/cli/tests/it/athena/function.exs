# Plays the module of docs/athena.md: `elixir function.exs MODULE FOLDER`. What it needs of `ex_athena` and of Jason stands
# in for them here, as small as that can be. What each function of the table returns is printed after `-> `, a line each;
# the warnings of the module are written to the same place.

[module, folder] = System.argv()

defmodule ExAthena.Messages.Message do
  defstruct [:role, :content, :name]
end

defmodule ExAthena.Messages do
  def from_map(%{"role" => role, "content" => content} = map) do
    %ExAthena.Messages.Message{role: String.to_atom(role), content: content, name: map["name"]}
  end
end

defmodule ExAthena.Hooks do
  def events, do: [:PreToolUse, :PostToolUse, :UserPromptSubmit, :ChatParams, :Stop, :NoSuchEvent]
end

defmodule Jason do
  def encode!(nil), do: "null"
  def encode!(value) when is_boolean(value) or is_number(value), do: to_string(value)
  def encode!(atom) when is_atom(atom), do: encode!(Atom.to_string(atom))
  def encode!(list) when is_list(list), do: "[" <> Enum.map_join(list, ",", &encode!/1) <> "]"

  def encode!(%{} = map) do
    "{" <> Enum.map_join(map, ",", fn {key, value} -> encode!(to_string(key)) <> ":" <> encode!(value) end) <> "}"
  end

  def encode!(text) when is_binary(text), do: "\"" <> for(<<c::utf8 <- text>>, into: "", do: escaped(c)) <> "\""

  defp escaped(c) when c < 32 or c in [?", ?\\], do: "\\u" <> String.pad_leading(Integer.to_string(c, 16), 4, "0")
  defp escaped(c), do: <<c::utf8>>

  def decode!(text) do
    {value, rest} = value(String.trim_leading(text))
    "" = String.trim(rest)
    value
  end

  defp value("{" <> rest), do: pairs(String.trim_leading(rest), %{})
  defp value("[" <> rest), do: items(String.trim_leading(rest), [])
  defp value("\"" <> rest), do: string(rest, "")
  defp value("null" <> rest), do: {nil, rest}
  defp value("true" <> rest), do: {true, rest}
  defp value("false" <> rest), do: {false, rest}

  defp pairs("}" <> rest, map), do: {map, rest}
  defp pairs("," <> rest, map), do: pairs(String.trim_leading(rest), map)

  defp pairs("\"" <> rest, map) do
    {key, rest} = string(rest, "")
    ":" <> rest = String.trim_leading(rest)
    {value, rest} = value(String.trim_leading(rest))
    pairs(String.trim_leading(rest), Map.put(map, key, value))
  end

  defp items("]" <> rest, list), do: {Enum.reverse(list), rest}
  defp items("," <> rest, list), do: items(String.trim_leading(rest), list)

  defp items(rest, list) do
    {value, rest} = value(rest)
    items(String.trim_leading(rest), [value | list])
  end

  defp string("\"" <> rest, read), do: {read, rest}
  defp string("\\u" <> <<hex::binary-size(4), rest::binary>>, read), do: string(rest, read <> <<String.to_integer(hex, 16)::utf8>>)
  defp string("\\n" <> rest, read), do: string(rest, read <> "\n")
  defp string("\\" <> <<c::utf8, rest::binary>>, read), do: string(rest, read <> <<c::utf8>>)
  defp string(<<c::utf8, rest::binary>>, read), do: string(rest, read <> <<c::utf8>>)
end

Code.require_file(module)

table = Anyhook.hooks(%{session_id: "s1", cwd: folder})

play = fn event, input, id ->
  fun =
    case table[event] do
      [%{hooks: [fun]}] -> fun
      [fun] -> fun
    end

  said =
    try do
      inspect(fun.(input, id))
    rescue
      error -> "raises " <> Exception.message(error)
    end

  IO.puts("-> #{event} #{said}")
end

write = fn path, content -> %{:tool_name => "write", "path" => path, "content" => content} end
play.(:PreToolUse, write.("priv/secrets/key", "x"), "c1")
# What JSON has no word for: another process, a tuple, bytes that are no text.
play.(:PreToolUse, write.("priv/secrets/\"ö\"\n", {self(), <<255>>}), "c2")
play.(:PreToolUse, write.("lib/a.ex", "x"), "c3")
# The model's own argument poses as the name of the tool.
play.(:PreToolUse, Map.put(write.("priv/secrets/key", "x"), "tool_name", "read"), "c4")
play.(:PostToolUse, %{tool_name: "bash", arguments: %{"command" => "mix test"}, result: {:ok, "1 test"}, cwd: folder}, "c5")
play.(:UserPromptSubmit, %{prompt: "/deploy", session_id: "s1"}, "s1")
play.(:UserPromptSubmit, %{prompt: "drop it", session_id: "s1"}, "s1")
play.(:ChatParams, %{request: %{model: "m"}, messages: [], session_id: "s1"}, "s1")
play.(:Stop, %{session_id: "s1", parent_session_id: nil, finish_reason: :stop, result: "done"}, "s1")
play.(:NoSuchEvent, %{session_id: "s1"}, "s1")
Logger.flush()
