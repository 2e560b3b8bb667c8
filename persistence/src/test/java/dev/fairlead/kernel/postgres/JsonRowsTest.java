package dev.fairlead.kernel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DayOfWeek;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class JsonRowsTest {
  /** Fails when a value that is written directly differs from the one that a serializer writes. */
  @Test
  void valueOfEachTypeIsWrittenLikeADocument() {
    List<Object> values =
        List.of(
            "quote \" and \u0001",
            new UUID(1, 2),
            3,
            4_000_000_000L,
            true,
            2.5,
            Instant.EPOCH,
            DayOfWeek.MONDAY,
            List.of(Map.of("a", List.of())));
    RowBatch rows = new RowBatch();
    for (Object value : values) {
      rows.row().set("value", value);
    }
    rows.row().set("value", null);

    StringBuilder expected = new StringBuilder("[");
    for (int i = 0; i <= values.size(); i++) {
      String value = i < values.size() ? Json.write(values.get(i)) : "null";
      expected.append(i == 0 ? "" : ",");
      expected.append("{\"ord\":").append(i).append(",\"value\":").append(value).append('}');
    }
    assertThat(rows.json()).isEqualTo(expected.append(']').toString());
  }
}
