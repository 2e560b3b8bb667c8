package dev.fairlead.work.template;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** JSON pointers (RFC 6901) in trees of maps and lists. */
public final class Pointers {
  private static final Pattern FORM = Pattern.compile("(/([^~/]|~[01])*)+");
  private static final Pattern INDEX = Pattern.compile("0|[1-9][0-9]{0,4}");

  private Pointers() {}

  static boolean wellFormed(String pointer) {
    return FORM.matcher(pointer).matches();
  }

  /** The steps of a well-formed pointer. */
  static List<String> steps(String pointer) {
    List<String> steps = new ArrayList<>();
    Arrays.stream(pointer.substring(1).split("/", -1))
        .map(step -> step.replace("~1", "/").replace("~0", "~"))
        .forEach(steps::add);
    return steps;
  }

  static String below(String pointer, String name) {
    return pointer + "/" + name.replace("~", "~0").replace("/", "~1");
  }

  /** The value at the pointer. Empty also for null. */
  public static Optional<Object> find(Object tree, String pointer) {
    if (pointer.isEmpty()) {
      return Optional.of(tree);
    }
    Object node = tree;
    for (String step : wellFormed(pointer) ? steps(pointer) : List.<String>of()) {
      node = child(node, step);
      if (node == null) {
        return Optional.empty();
      }
    }
    return wellFormed(pointer) ? Optional.of(node) : Optional.empty();
  }

  private static @Nullable Object child(Object node, String step) {
    if (node instanceof Map<?, ?> map) {
      return map.get(step);
    }
    if (node instanceof List<?> list && INDEX.matcher(step).matches()) {
      int index = Integer.parseInt(step);
      return index < list.size() ? list.get(index) : null;
    }
    return null;
  }
}
