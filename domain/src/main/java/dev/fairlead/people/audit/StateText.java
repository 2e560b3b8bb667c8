package dev.fairlead.people.audit;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Parses the JSON that {@link StateHash} writes, without spaces, to maps, lists, strings, integers
 * and booleans. Throws {@link IllegalArgumentException} for other input.
 */
final class StateText {
  private static final int HEX = 16;
  private static final int DIGITS = 4;
  private final String json;
  private int at;

  private StateText(String json) {
    this.json = json;
  }

  static Object read(String json) {
    StateText text = new StateText(json);
    Object read = text.value();
    if (text.at != json.length()) {
      throw text.unexpected();
    }
    return read;
  }

  private Object value() {
    return switch (next()) {
      case '{' -> object();
      case '[' -> list();
      case '"' -> text();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      default -> number();
    };
  }

  private char next() {
    if (at == json.length()) {
      throw unexpected();
    }
    return json.charAt(at);
  }

  private IllegalArgumentException unexpected() {
    return new IllegalArgumentException("unexpected at character " + at);
  }

  private void take(char expected) {
    if (next() != expected) {
      throw unexpected();
    }
    at++;
  }

  /** Returns whether the character is next, and skips it. */
  private boolean passed(char wanted) {
    boolean there = next() == wanted;
    at += there ? 1 : 0;
    return there;
  }

  private SortedMap<String, Object> object() {
    take('{');
    SortedMap<String, Object> members = new TreeMap<>();
    if (passed('}')) {
      return members;
    }
    do {
      String name = text();
      take(':');
      members.put(name, value());
    } while (passed(','));
    take('}');
    return members;
  }

  private List<Object> list() {
    take('[');
    List<Object> items = new ArrayList<>();
    if (passed(']')) {
      return items;
    }
    do {
      items.add(value());
    } while (passed(','));
    take(']');
    return items;
  }

  private String text() {
    take('"');
    StringBuilder text = new StringBuilder();
    while (next() != '"') {
      text.append(passed('\\') ? escaped() : json.charAt(at++));
    }
    take('"');
    return text.toString();
  }

  private char escaped() {
    char said = next();
    at++;
    if (said != 'u') {
      return said;
    }
    if (at + DIGITS > json.length()) {
      throw unexpected();
    }
    at += DIGITS;
    return (char) Integer.parseInt(json.substring(at - DIGITS, at), HEX);
  }

  private Boolean word(String word, boolean means) {
    if (!json.startsWith(word, at)) {
      throw unexpected();
    }
    at += word.length();
    return means;
  }

  private Long number() {
    int from = at;
    while (at < json.length() && (json.charAt(at) == '-' || Character.isDigit(json.charAt(at)))) {
      at++;
    }
    return Long.valueOf(json.substring(from, at));
  }
}
