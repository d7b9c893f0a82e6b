# Plays cases against the original's `hooks.ex`: `elixir original.exs HOOKS_EX CASES`. The cases are one Erlang term, a list;
# what came of each is printed as one line of JSON, as our own side of the test writes it.

[hooks_ex, cases] = System.argv()

# The original's own struct, of which its hooks look at the name only.
defmodule ExAthena.Messages.Message do
  defstruct [:role, :content, :name]
end

Code.compiler_options(ignore_module_conflict: true)
Code.require_file(hooks_ex)

defmodule Json do
  def text(nil), do: "null"
  def text(value) when is_boolean(value) or is_integer(value), do: to_string(value)
  def text(value) when is_atom(value), do: text(Atom.to_string(value))
  def text(list) when is_list(list), do: "[" <> Enum.map_join(list, ",", &text/1) <> "]"

  def text(%{} = map) do
    inside = Enum.map_join(map, ",", fn {key, value} -> text(to_string(key)) <> ":" <> text(value) end)
    "{" <> inside <> "}"
  end

  def text(text) when is_binary(text) do
    inside =
      for <<code::utf8 <- text>>, into: "" do
        if code < 32 or code in [?", ?\\] do
          "\\u" <> String.pad_leading(Integer.to_string(code, 16), 4, "0")
        else
          <<code::utf8>>
        end
      end

    "\"" <> inside <> "\""
  end
end

defmodule Play do
  alias ExAthena.Hooks
  alias ExAthena.Messages.Message

  def one(%{"ask" => "pattern", "pattern" => pattern, "names" => names}) do
    case Regex.compile(pattern) do
      {:ok, regex} -> %{selects: Enum.filter(names, &Regex.match?(regex, &1))}
      {:error, _} -> %{error: true}
    end
  end

  def one(%{"ask" => ask, "event" => event, "payload" => payload} = all) do
    Process.put(:calls, [])
    event = String.to_atom(event)
    table = %{event => Enum.map(all["table"], &entry/1)}

    said =
      case ask do
        "pre" -> Hooks.run_pre_tool_use(table, all["tool"], payload, all["id"])
        "post" -> Hooks.run_post_tool_use(table, all["tool"], atoms(payload), all["id"])
        "life" -> Hooks.run_lifecycle(table, event, atoms(payload))
        "outputs" -> Hooks.run_lifecycle_with_outputs(table, event, atoms(payload))
      end

    %{said: said(said), calls: Enum.reverse(Process.get(:calls))}
  rescue
    wrong in Regex.CompileError -> %{said: ["raises", Exception.message(wrong)], calls: []}
  end

  defp atoms(map), do: Map.new(map, fn {key, value} -> {String.to_atom(key), value} end)

  defp entry(%{"hooks" => hooks} = group) do
    made = %{hooks: Enum.map(hooks, &fun/1)}
    if Map.has_key?(group, "matcher"), do: Map.put(made, :matcher, group["matcher"]), else: made
  end

  defp entry(fun), do: fun(fun)

  defp fun([index | return]) do
    fn input, id ->
      Process.put(:calls, [[index, input, id] | Process.get(:calls)])
      return(return)
    end
  end

  defp return(["ok"]), do: :ok
  defp return(["raise", text]), do: raise(text)
  defp return(["other", value]), do: value
  defp return(["inject", messages]), do: {:inject, Enum.map(messages, &message/1)}
  defp return(["inject_one", message]), do: {:inject, message(message)}
  defp return([word, text]), do: {String.to_atom(word), text}

  defp message([role, text, name]), do: %Message{role: String.to_atom(role), content: text, name: name}

  defp said(:ok), do: "ok"
  defp said({:halt, {:hook_crashed, text}}), do: ["halt", "hook_crashed: " <> text]
  defp said({word, text}), do: [word, text]

  defp said(%{halt: halt, injects: injects, transform: transform}) do
    injects = for %Message{} = one <- injects, do: [one.role, one.content, one.name]
    %{halt: halt && said(halt), injects: injects, transform: transform}
  end
end

{:ok, [all]} = :file.consult(cases)
for one <- all, do: IO.puts(Json.text(Play.one(one)))
