package dev.fairlead.kernel.egress;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.ConstructNode;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.resolver.ScalarResolver;
import org.snakeyaml.engine.v2.schema.Schema;

/**
 * Parses YAML restricted to maps, lists and strings: one document, no anchors, no tags, no
 * duplicate keys, with limits on size, depth and number of nodes. The limits are checked on the
 * event stream, before anything is built.
 */
public final class SafeYaml {
  private static final int MOST_CHARACTERS = 64 * 1024;
  private static final int MOST_EVENTS = 20_000;
  private static final int DEEPEST = 16;
  private static final LoadSettings SETTINGS =
      LoadSettings.builder()
          .setSchema(new Texts())
          .setAllowDuplicateKeys(false)
          .setMaxAliasesForCollections(0)
          .setCodePointLimit(MOST_CHARACTERS)
          .build();

  private SafeYaml() {}

  /** The text is not accepted. The message is human-readable. */
  public static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    Unreadable(String message) {
      super(message);
    }
  }

  public static Map<?, ?> map(String text) throws Unreadable {
    if (text.length() > MOST_CHARACTERS) {
      throw new Unreadable("it is longer than 64 KiB");
    }
    try {
      check(new Parse(SETTINGS).parseString(text));
      if (new Load(SETTINGS).loadFromString(text) instanceof Map<?, ?> map) {
        return map;
      }
      throw new Unreadable("it is not a mapping");
    } catch (YamlEngineException e) {
      throw new Unreadable("it is not YAML: " + firstLine(e.getMessage()));
    }
  }

  private static void check(Iterable<Event> events) throws Unreadable {
    int count = 0;
    int depth = 0;
    int documents = 0;
    for (Event event : events) {
      documents += event instanceof DocumentStartEvent ? 1 : 0;
      depth +=
          event instanceof CollectionStartEvent ? 1 : event instanceof CollectionEndEvent ? -1 : 0;
      if (++count > MOST_EVENTS || depth > DEEPEST) {
        throw new Unreadable("it is nested too deeply or has too many elements");
      }
      if (documents > 1) {
        throw new Unreadable("it holds more than one document");
      }
      if (event instanceof AliasEvent
          || event instanceof NodeEvent node && node.getAnchor().isPresent()) {
        throw new Unreadable("it uses anchors or aliases. Write the values out.");
      }
      if (tag(event).isPresent()) {
        throw new Unreadable("it uses tags (!...). Remove them.");
      }
    }
    if (documents == 0) {
      throw new Unreadable("it is empty");
    }
  }

  /**
   * Treats every scalar as a string, including an empty scalar, so that nothing becomes a number, a
   * date or an object by its form.
   */
  private static final class Texts implements Schema {
    @Override
    public ScalarResolver getScalarResolver() {
      return (value, implicit) -> Tag.STR;
    }

    @Override
    public Map<Tag, ConstructNode> getSchemaTagConstructors() {
      return Map.of();
    }
  }

  private static Optional<String> tag(Event event) {
    return event instanceof ScalarEvent scalar
        ? scalar.getTag()
        : event instanceof CollectionStartEvent collection ? collection.getTag() : Optional.empty();
  }

  private static String firstLine(@Nullable String message) {
    List<String> lines = message == null ? List.of() : message.lines().limit(1).toList();
    return lines.isEmpty() ? "syntax error" : lines.getFirst();
  }
}
