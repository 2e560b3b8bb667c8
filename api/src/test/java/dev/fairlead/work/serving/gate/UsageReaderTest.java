package dev.fairlead.work.serving.gate;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The memory limit for the responses that the gate reads. */
class UsageReaderTest {
  private static final String STREAM = "text/event-stream";
  private static final String DOCUMENT = "application/json";
  private static final int LARGE = 100_000;
  private final UsageMemory memory = new UsageMemory(2_000_000);

  private UsageReader reader(String type) {
    return new UsageReader(type, memory);
  }

  private static void add(UsageReader reader, String text) {
    for (int at = 0; at < text.length(); at += 8192) {
      byte[] part =
          text.substring(at, Math.min(text.length(), at + 8192)).getBytes(StandardCharsets.UTF_8);
      reader.add(part, part.length);
    }
  }

  /** An event or a document up to the end of a long string. */
  private static String begin(String type) {
    return (type.equals(STREAM) ? "data: " : "") + "{\"text\":\"" + "x".repeat(LARGE);
  }

  private static final String END =
      "\",\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":5}}\n\n";

  /** Fails when a thousand clients with endless strings fill the memory of the gate. */
  @ParameterizedTest
  @ValueSource(strings = {STREAM, DOCUMENT})
  void allResponsesTogetherHoldALimitedNumberOfBytes(String type) {
    List<UsageReader> readers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      UsageReader reader = reader(type);
      add(reader, begin(type));
      readers.add(reader);
      assertThat(memory.held()).isLessThanOrEqualTo(2_000_000);
    }
    assertThat(readers).anyMatch(UsageReader::unread).anyMatch(each -> !each.unread());
    readers.forEach(each -> add(each, END));
    assertThat(readers)
        .allSatisfy(each -> assertThat(each.usage().isEmpty()).isEqualTo(each.unread()));
    readers.forEach(UsageReader::close);
    assertThat(memory.held()).isZero();
  }

  /**
   * Fails when a response retains its memory after the string, so that other responses get none.
   */
  @ParameterizedTest
  @ValueSource(strings = {STREAM, DOCUMENT})
  void memoryOfAReadStringIsReturned(String type) {
    List<UsageReader> readers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      UsageReader reader = reader(type);
      add(reader, begin(type));
      add(reader, END);
      add(reader, type.equals(STREAM) ? "data: {}\n\n" : "");
      readers.add(reader);
    }
    assertThat(readers).allSatisfy(each -> assertThat(each.usage()).isPresent());
  }

  @Test
  void smallResponsesUseNoSharedMemory() {
    UsageMemory none = new UsageMemory(0);
    UsageReader reader = new UsageReader(DOCUMENT, none);
    add(reader, "{\"text\":\"" + "x".repeat(5_000) + END);
    assertThat(reader.usage()).contains(new UsageReader.Usage(7, 5));
    assertThat(none.held()).isZero();
  }
}
