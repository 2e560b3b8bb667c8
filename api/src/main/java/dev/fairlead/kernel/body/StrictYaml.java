package dev.fairlead.kernel.body;

import dev.fairlead.kernel.problem.Refusal;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlVersionException;
import org.snakeyaml.engine.v2.parser.Parser;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The unambiguous part of YAML 1.2: one document, no tags, no merge keys, no duplicate keys. Plain
 * values that YAML 1.1 reads as booleans, and numbers with a leading zero, are refused. A key is
 * always a text. Anchors are allowed within bounds.
 */
final class StrictYaml {
  private static final int MOST_ALIASES = 50;
  private static final int MOST_EXPANDED = 10_000;

  /** Limit of the document with all aliases expanded. A body without aliases cannot reach it. */
  private static final int MOST_CHARACTERS = BodyReader.LARGEST;

  private static final Pattern WHOLE = Pattern.compile("[-+]?(0|[1-9][0-9]{0,62})");
  private static final Pattern DECIMAL =
      Pattern.compile("[-+]?(0|[1-9][0-9]{0,40})(\\.[0-9]{1,20})?([eE][-+]?[0-9]{1,3})?");
  private static final Pattern OCTAL = Pattern.compile("[-+]?0[0-9]+");
  private static final Pattern OLD_BOOLEAN = Pattern.compile("(?i)yes|no|on|off");
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  /** A piece of the body, which may contain a secret. */
  private static final Pattern HANDLE = Pattern.compile("(?s)(undefined tag handle) .*");

  private final Parser events;
  private final Map<String, Anchored> anchors = new TreeMap<>();
  private int aliases;
  private int expanded;
  private int nodes;
  private int characters;
  private int deepest;

  /**
   * A finished node that an alias may name, with its expanded size.
   *
   * @param levels number of levels of collections below it
   */
  private record Anchored(JsonNode node, int nodes, int characters, int levels) {}

  private StrictYaml(String text) {
    LoadSettings settings =
        LoadSettings.builder()
            .setCodePointLimit(BodyReader.LARGEST)
            .setBufferSize(
                text.length()) // a smaller one is copied as a whole for each piece of a long text
            .build();
    this.events = new ParserImpl(settings, new StreamReader(settings, text));
  }

  /**
   * @throws Refusal MALFORMED_BODY with line and column
   */
  static JsonNode read(String text) {
    try {
      return new StrictYaml(text).document();
    } catch (MarkedYamlEngineException e) {
      throw at(e.getProblemMark(), "this is not valid YAML: " + words(e));
    } catch (YamlVersionException e) {
      throw Malformed.of("The body must be YAML 1.2. Remove the %YAML line.");
    } catch (YamlEngineException e) {
      throw Malformed.of("This is not valid YAML: " + e.getMessage());
    }
  }

  private static String words(MarkedYamlEngineException e) {
    String problem = (e.getContext() == null ? "" : e.getContext() + ", ") + e.getProblem();
    return HANDLE.matcher(problem).replaceFirst("$1");
  }

  private JsonNode document() {
    events.next();
    if (!events.checkEvent(Event.ID.DocumentStart)) {
      throw Malformed.of("The body is empty.");
    }
    events.next();
    JsonNode root = node(1);
    events.next();
    if (!events.checkEvent(Event.ID.StreamEnd)) {
      throw at(events.peekEvent(), "a second document starts here. Send one at a time.");
    }
    return root;
  }

  private JsonNode node(int depth) {
    Event event = events.next();
    if (depth > StrictJson.DEEPEST) {
      throw at(event, "nested deeper than " + StrictJson.DEEPEST + " levels");
    }
    if (event instanceof AliasEvent alias) {
      return expand(alias, depth);
    }
    int nodesBefore = nodes++;
    int charactersBefore = characters;
    int deepestBefore = deepest;
    deepest = depth;
    JsonNode node =
        switch (event.getEventId()) {
          case Scalar -> scalar((ScalarEvent) event);
          case SequenceStart -> sequence((CollectionStartEvent) event, depth);
          case MappingStart -> mapping((CollectionStartEvent) event, depth);
          default -> throw at(event, "unexpected content");
        };
    Optional<String> name = ((NodeEvent) event).getAnchor().map(Object::toString);
    Anchored finished =
        new Anchored(node, nodes - nodesBefore, characters - charactersBefore, deepest - depth);
    name.ifPresent(anchor -> anchors.put(anchor, finished));
    deepest = Math.max(deepest, deepestBefore);
    return node;
  }

  private JsonNode expand(AliasEvent alias, int depth) {
    String name = alias.getAnchor().map(Object::toString).orElse("");
    Anchored target = anchors.get(name);
    if (target == null) {
      throw at(alias, "this alias has no anchor before it. Quote a string that begins with *.");
    }
    aliases++;
    expanded += target.nodes();
    nodes += target.nodes();
    deepest = Math.max(deepest, depth + target.levels());
    if (deepest > StrictJson.DEEPEST) {
      throw at(alias, "nested deeper than " + StrictJson.DEEPEST + " levels by its aliases");
    }
    count(alias, target.characters());
    if (aliases > MOST_ALIASES || expanded > MOST_EXPANDED) {
      throw at(
          alias,
          "more than "
              + MOST_ALIASES
              + " aliases, or more than "
              + MOST_EXPANDED
              + " values after the expansion of aliases");
    }
    return target.node();
  }

  /** Sums stay below the limit plus one document, so no sum overflows. */
  private void count(Event event, int more) {
    characters += more;
    if (characters > MOST_CHARACTERS) {
      throw at(
          event, "more than " + MOST_CHARACTERS + " characters after its aliases are expanded");
    }
  }

  private JsonNode sequence(CollectionStartEvent start, int depth) {
    noTag(start, start.getTag());
    ArrayNode list = NODES.arrayNode();
    while (!events.checkEvent(Event.ID.SequenceEnd)) {
      list.add(node(depth + 1));
    }
    events.next();
    return list;
  }

  private JsonNode mapping(CollectionStartEvent start, int depth) {
    noTag(start, start.getTag());
    ObjectNode object = NODES.objectNode();
    while (!events.checkEvent(Event.ID.MappingEnd)) {
      String key = key();
      if (object.has(key)) {
        throw at(events.peekEvent(), "key \"" + key + "\" is given twice");
      }
      object.set(key, node(depth + 1));
    }
    events.next();
    return object;
  }

  private String key() {
    Event event = events.next();
    if (!(event instanceof ScalarEvent scalar)) {
      throw at(event, "a key must be a plain or quoted string");
    }
    if (scalar.getAnchor().isPresent()) {
      throw at(event, "a key cannot carry an anchor");
    }
    noTag(event, scalar.getTag());
    if (scalar.isPlain() && scalar.getValue().equals("<<")) {
      throw at(event, "merge keys (<<) are not supported. Write the fields out.");
    }
    if (scalar.getValue().length() > StrictJson.LONGEST_NAME) {
      throw at(event, "a key has at most " + StrictJson.LONGEST_NAME + " characters");
    }
    count(event, scalar.getValue().length());
    return scalar.getValue();
  }

  private JsonNode scalar(ScalarEvent scalar) {
    noTag(scalar, scalar.getTag());
    String value = scalar.getValue();
    count(scalar, value.length());
    if (!scalar.isPlain()) {
      return NODES.stringNode(value);
    }
    return switch (value) {
      case "", "~", "null", "Null", "NULL" -> NODES.nullNode();
      case "true", "True", "TRUE" -> NODES.booleanNode(true);
      case "false", "False", "FALSE" -> NODES.booleanNode(false);
      default -> word(scalar, value);
    };
  }

  private static JsonNode word(ScalarEvent scalar, String value) {
    if (OLD_BOOLEAN.matcher(value).matches() || OCTAL.matcher(value).matches()) {
      throw ambiguous(scalar);
    }
    if (WHOLE.matcher(value).matches()) {
      return NODES.numberNode(new BigInteger(value.startsWith("+") ? value.substring(1) : value));
    }
    return DECIMAL.matcher(value).matches()
        ? NODES.numberNode(new BigDecimal(value))
        : NODES.stringNode(value);
  }

  private static Refusal ambiguous(ScalarEvent scalar) {
    return at(
        scalar,
        "YAML parsers disagree on this value. Quote it to make it a string, or write true, false"
            + " or a plain number.");
  }

  private static void noTag(Event event, Optional<String> tag) {
    if (tag.isPresent()) {
      throw at(event, "tags (!...) are not supported. Remove it.");
    }
  }

  private static Refusal at(Event event, String detail) {
    return at(event.getStartMark(), detail);
  }

  private static Refusal at(Optional<Mark> mark, String detail) {
    return mark.map(m -> Malformed.at(m.getLine() + 1, m.getColumn() + 1, detail))
        .orElseGet(() -> Malformed.of(detail));
  }
}
