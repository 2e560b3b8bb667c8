package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A GPU in the statement of the current month. */
record Billed(@Nullable String gpu, @Nullable String serial, String node) {
  /** At most 500, all with some time. */
  static List<Billed> devices(Http http) {
    Http.Answer answer =
        http.get("/api/v1/statements/" + YearMonth.now(ZoneOffset.UTC) + "/devices?pageSize=500");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer
        .json()
        .get("items")
        .valueStream()
        .peek(each -> assertThat(each.at("/held/milliGpuMillis").asLong()).isPositive())
        .map(each ->
            new Billed(
                each.get("gpu").asString(null),
                each.get("serial").asString(null),
                each.at("/node/name").asString()))
        .toList();
  }
}
