package dev.fairlead.work.template;

import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The job of a template as a tree of maps, lists, texts, numbers and booleans. A value replaces an
 * expression inside its text and never becomes structure: a text that looks like YAML stays one
 * text.
 */
public final class JobTree {
  /** Maximum characters of the texts of a filled job. */
  private static final int MOST_FILLED = 1 << 20;

  /** Fields with texts for the program. Numbers in them become texts. */
  private static final Set<String> OF_TEXTS =
      Set.of("run", "command", "args", "env", "labels", "annotations", "nodeLabels");

  private static final Set<String> WORDS = Set.of("run", "command", "args");
  private static final Pattern SHELL_OPTION = Pattern.compile("-[A-Za-z]*c");

  /** Texts that mean the same to a shell, whatever is before and after them. */
  private static final Pattern SHELL_SAFE = Pattern.compile("[A-Za-z0-9._/:@=+,-]+");

  private JobTree() {}

  /**
   * Fills a checked job.
   *
   * @param values checked values by parameter. A parameter without a value remains an expression
   * @throws IllegalArgumentException when the filled texts have more than 1,048,576 characters
   */
  public static Object filled(Object tree, Map<String, Object> values) {
    return new Filling(values).of(tree, false);
  }

  private static final class Filling {
    private final Map<String, Object> values;
    private int characters;

    Filling(Map<String, Object> values) {
      this.values = values;
    }

    Object of(Object node, boolean texts) {
      return switch (node) {
        case Map<?, ?> map -> {
          SortedMap<String, Object> filled = new TreeMap<>();
          map.forEach((key, value) -> {
            String name = String.valueOf(key);
            if (value != null) {
              filled.put(name, of(value, texts || OF_TEXTS.contains(name)));
            }
          });
          yield filled;
        }
        case List<?> list -> list.stream().map(item -> of(item, texts)).toList();
        case String text -> text(text, texts);
        default -> node;
      };
    }

    private Object text(String text, boolean texts) {
      Object whole = texts ? null : Expressions.whole(text).map(values::get).orElse(null);
      if (whole != null && !(whole instanceof String)) {
        return whole;
      }
      String filled = Expressions.filled(text, values);
      characters += filled.length();
      if (characters > MOST_FILLED) {
        throw new IllegalArgumentException(
            "The values make the job larger than " + MOST_FILLED + " characters.");
      }
      return filled;
    }
  }

  /**
   * Problems of the expressions: of a parameter that is not defined, in the name of a field, and of
   * texts that a shell would read as code.
   *
   * @param at pointer of the tree
   */
  static List<FieldProblem> problems(Object tree, String at, List<TemplateParameter> parameters) {
    Check check = new Check(parameters);
    check.of(tree, at, null, false);
    return check.problems;
  }

  private static final class Check {
    private final SortedMap<String, TemplateParameter> parameters = new TreeMap<>();
    private final List<FieldProblem> problems = new ArrayList<>();

    Check(List<TemplateParameter> parameters) {
      parameters.forEach(each -> this.parameters.put(each.name(), each));
    }

    /**
     * @param field nearest field above the node
     * @param shell whether a shell reads the text
     */
    void of(@Nullable Object node, String at, @Nullable String field, boolean shell) {
      if (node instanceof Map<?, ?> map) {
        map.forEach((key, value) -> {
          String name = String.valueOf(key);
          String pointer = Pointers.below(at, name);
          if (!Expressions.names(name).isEmpty() || Expressions.broken(name)) {
            refuse(pointer, "A parameter cannot be part of the name of a field.");
          }
          boolean program = field == null || !OF_TEXTS.contains(field);
          of(value, pointer, name, program && name.equals("run") && value instanceof String);
        });
        codeBehindCommand(map, at);
      } else if (node instanceof List<?> items) {
        boolean words = field != null && WORDS.contains(field);
        for (int i = 0; i < items.size(); i++) {
          if (items.get(i) == null) {
            refuse(at + "/" + i, "A list cannot contain empty items.");
          }
          of(items.get(i), at + "/" + i, field, words && i > 0 && codeFollows(items.get(i - 1)));
        }
      } else if (node instanceof String text) {
        text(text, at, shell);
      }
    }

    /** First word of args after a command that ends with {@code -c}. */
    private void codeBehindCommand(Map<?, ?> map, String at) {
      if (map.get("command") instanceof List<?> command
          && !command.isEmpty()
          && codeFollows(command.getLast())
          && map.get("args") instanceof List<?> args
          && !args.isEmpty()
          && args.getFirst() instanceof String code) {
        text(code, Pointers.below(at, "args") + "/0", true);
      }
    }

    private static boolean codeFollows(@Nullable Object word) {
      return word instanceof String text && SHELL_OPTION.matcher(text).matches();
    }

    private void text(String text, String at, boolean shell) {
      if (Expressions.broken(text)) {
        refuse(at, "An expression is written ${parameters.NAME}.");
      }
      for (String name : Expressions.names(text)) {
        TemplateParameter parameter = parameters.get(name);
        if (parameter == null) {
          refuse(at, "There is no parameter \"" + name + "\".");
        } else if (shell && !safeInShell(parameter)) {
          refuse(
              at,
              ("Parameter %s is a string, and a shell would interpret parts of it. Use it as a"
                          + " word of run,")
                      .formatted(name)
                  + " in args, or in a variable of env.");
        }
      }
    }

    private static boolean safeInShell(TemplateParameter parameter) {
      return switch (parameter.type()) {
        case INTEGER, NUMBER, BOOLEAN -> true;
        case STRING -> false;
        case ENUM ->
            parameter.values().stream().allMatch(each -> SHELL_SAFE.matcher(each).matches());
      };
    }

    private void refuse(String pointer, String detail) {
      problems.add(new FieldProblem(pointer, ProblemCode.INVALID_FIELD, detail, null));
    }
  }

  /** The parameters of the text at that pointer, or empty if none. */
  public static List<String> parameters(Object tree, String pointer) {
    Optional<Object> node = Pointers.find(tree, pointer);
    return node.filter(String.class::isInstance)
        .map(text -> Expressions.names((String) text))
        .orElse(List.of());
  }
}
