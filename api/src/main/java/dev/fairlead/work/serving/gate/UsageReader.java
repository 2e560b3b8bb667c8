package dev.fairlead.work.serving.gate;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.async.ByteArrayFeeder;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonFactoryBuilder;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Finds the {@code usage} object of an OpenAI-compatible response while its bytes pass, in a JSON
 * document or in the events of a stream. It holds at most one string or one event, and the strings
 * and events of all responses together have a limit. A response that it cannot read has no usage.
 */
final class UsageReader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UsageReader.class);

  /** Longest string of a document, and longest event with a usage object. */
  static final int LONGEST = 1024 * 1024;

  private static final long MOST_TOKENS = 1_000_000_000;
  private static final String USAGE = "usage";
  private static final String DATA = "data:";
  private static final JsonFactory FACTORY =
      new JsonFactoryBuilder()
          .streamReadConstraints(StreamReadConstraints.builder().maxStringLength(LONGEST).build())
          .build();
  private static final JsonMapper MAPPER = JsonMapper.builder(FACTORY).build();

  private enum Form {
    DOCUMENT,
    EVENTS,
    OTHER
  }

  /** Tokens of a response. */
  record Usage(long prompt, long completion) {}

  private final Form form;
  private ByteArrayOutputStream line = new ByteArrayOutputStream();
  private final UsageMemory.Part memory;
  private @Nullable JsonParser parser;
  private int pending;
  private boolean unread;
  private @Nullable Usage found;
  private int depth;
  private boolean inside;
  private long prompt;
  private long completion;
  private long events;

  /**
   * @param type value of the header Content-Type, null if none
   */
  UsageReader(@Nullable String type, UsageMemory memory) {
    this.memory = memory.part();
    String name = type == null ? "" : type.toLowerCase(Locale.ROOT);
    form =
        name.startsWith("text/event-stream")
            ? Form.EVENTS
            : name.startsWith("application/json") ? Form.DOCUMENT : Form.OTHER;
    parser =
        form == Form.DOCUMENT
            ? FACTORY.createNonBlockingByteArrayParser(ObjectReadContext.empty())
            : null;
  }

  /** Empty before the object has passed. If a stream has several objects, the last one counts. */
  Optional<Usage> usage() {
    return Optional.ofNullable(found);
  }

  /** Returns whether the response is a stream of events. */
  boolean streams() {
    return form == Form.EVENTS;
  }

  /** Events with data so far. A language model sends about one token in each. */
  long events() {
    return events;
  }

  /**
   * Returns whether the tokens are unknown because all responses together exceeded the memory
   * limit.
   */
  boolean unread() {
    return unread;
  }

  /** The response ends. */
  @Override
  public void close() {
    parser = null;
    memory.close();
  }

  /** The response is not read on, because all responses together hold too much. */
  private void giveUp() {
    unread = true;
    line = new ByteArrayOutputStream();
    close();
  }

  /** The next bytes of the response. */
  void add(byte[] bytes, int count) {
    switch (form) {
      case DOCUMENT -> document(bytes, count);
      case EVENTS -> events(bytes, count);
      case OTHER -> {}
    }
  }

  private void document(byte[] bytes, int count) {
    JsonParser reads = parser;
    if (reads == null || !(reads.nonBlockingInputFeeder() instanceof ByteArrayFeeder feeder)) {
      return;
    }
    pending += count;
    if (!memory.holds(pending)) {
      giveUp();
      return;
    }
    try {
      feeder.feedInput(bytes, 0, count);
      for (JsonToken token = reads.nextToken();
          token != null && token != JsonToken.NOT_AVAILABLE;
          token = reads.nextToken()) {
        token(reads, token);
        pending = 0;
      }
      boolean _ = memory.holds(pending);
    } catch (JacksonException malformed) {
      LOG.debug("a response is not readable as JSON", malformed);
      parser = null;
    }
  }

  private void token(JsonParser reads, JsonToken token) {
    if (token.isStructStart()) {
      depth++;
      if (depth == 2) {
        inside = token == JsonToken.START_OBJECT && USAGE.equals(name(reads));
      }
    } else if (token.isStructEnd()) {
      if (inside && depth == 2) {
        found = new Usage(prompt, completion);
        inside = false;
      }
      depth--;
    } else if (inside && depth == 2 && token == JsonToken.VALUE_NUMBER_INT) {
      number(String.valueOf(reads.currentName()), reads.getLongValue());
    }
  }

  /** Name of the object that begins, whose context is its parent's. */
  private static @Nullable String name(JsonParser reads) {
    var parent = reads.streamReadContext().getParent();
    return parent == null ? null : parent.currentName();
  }

  private void number(String name, long value) {
    long tokens = Math.clamp(value, 0, MOST_TOKENS);
    switch (name) {
      case "prompt_tokens", "input_tokens" -> prompt = tokens;
      case "completion_tokens", "output_tokens" -> completion = tokens;
      default -> {}
    }
  }

  private void events(byte[] bytes, int count) {
    for (int i = 0; i < count; i++) {
      if (bytes[i] == '\n' || bytes[i] == '\r') {
        event(line.toString(StandardCharsets.UTF_8));
        emptied();
      } else if (!unread && line.size() < LONGEST) {
        line.write(bytes[i]);
        if (!memory.holds(line.size())) {
          giveUp();
        }
      }
    }
  }

  /** A buffer that became large is not kept. */
  private void emptied() {
    if (line.size() > UsageMemory.FREE) {
      line = new ByteArrayOutputStream();
      memory.close();
    } else {
      line.reset();
    }
  }

  private void event(String text) {
    if (!text.startsWith(DATA)) {
      return;
    }
    String data = text.substring(DATA.length()).strip();
    if (data.equals("[DONE]")) {
      return;
    }
    events++;
    if (data.contains("\"" + USAGE + "\"")) {
      try {
        JsonNode root = MAPPER.readTree(data);
        read(root.path(USAGE));
        read(root.path("response").path(USAGE));
      } catch (JacksonException malformed) {
        LOG.debug("an event is not readable as JSON", malformed);
      }
    }
  }

  private void read(JsonNode usage) {
    if (usage.isObject()) {
      prompt = 0;
      completion = 0;
      usage.properties().stream()
          .filter(each -> each.getValue().isIntegralNumber() && each.getValue().canConvertToLong())
          .forEach(each -> number(each.getKey(), each.getValue().longValue()));
      found = new Usage(prompt, completion);
    }
  }
}
