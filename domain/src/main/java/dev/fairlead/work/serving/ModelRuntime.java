package dev.fairlead.work.serving;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A model server: one file of {@code runtimes/}. Words, variables and the ready path may contain
 * {@code ${model}} (address of the model as the server reads it), {@code ${name}} (name of the
 * service) and {@code ${port}}.
 *
 * @param description one sentence that helps a user to choose a runtime
 * @param image default image, null if the service must set one
 * @param run words of the program, empty if the service sets them
 * @param models words for the model by scheme of its address. Other schemes are refused
 * @param args words after the words of the model
 * @param env variables of the server
 * @param formats formats that it reads, empty for all
 * @param port default TCP port
 * @param readyPath default ready path, null only without {@code run}
 * @param metric default metric of {@code scale}
 * @param metrics address and names of its own metrics, of {@link RuntimeFile#METRICS}
 * @param openAi whether it is compatible with the OpenAI API and serves one model with the name of
 *     the service
 * @param reserved options and variables that a service cannot set
 */
@RecordBuilder
public record ModelRuntime(
    String name,
    String description,
    @Nullable String image,
    List<String> run,
    SortedMap<String, List<String>> models,
    List<String> args,
    SortedMap<String, String> env,
    SortedSet<String> formats,
    int port,
    @Nullable String readyPath,
    LoadTarget.Metric metric,
    SortedMap<String, String> metrics,
    boolean openAi,
    SortedSet<String> reserved) {
  static final Pattern EXPRESSION = Pattern.compile("\\$\\{([^{}]*)\\}");

  /** Returns whether a service cannot set this option or variable. */
  boolean reserves(String word) {
    int value = word.indexOf('=');
    return reserved.contains(value < 0 ? word : word.substring(0, value));
  }

  /** Values of the expressions. */
  record Values(String model, String name, int port) {
    String in(String text) {
      return EXPRESSION
          .matcher(text)
          .replaceAll(found -> Matcher.quoteReplacement(of(found.group(1))));
    }

    private String of(String expression) {
      return switch (expression) {
        case "model" -> model;
        case "name" -> name;
        case "port" -> Integer.toString(port);
        default -> throw new IllegalStateException("no expression " + expression);
      };
    }
  }
}
