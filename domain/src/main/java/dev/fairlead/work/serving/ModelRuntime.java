package dev.fairlead.work.serving;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A runtime of this installation, defined by a file in {@code runtimes/}. Its arguments, variables
 * and ready path may contain ${model}, ${name} and ${port}.
 *
 * @param name name for the field {@code runtime} of services
 * @param description description of the server
 * @param image default image, or null if the job must set one
 * @param run program and arguments, empty if the job sets them
 * @param models arguments with the address of the model, by scheme of the address. Other schemes
 *     are refused
 * @param args arguments that follow the arguments of the model
 * @param env variables of the server
 * @param formats formats of models, empty for all
 * @param port default port
 * @param readyPath default ready path, or null if the service must set one
 * @param metric default metric of {@code scale}
 * @param metrics address and names of the server's own metrics, for dashboards
 * @param openAi whether the server is compatible with the OpenAI API, and serves one model with the
 *     name of the service
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
