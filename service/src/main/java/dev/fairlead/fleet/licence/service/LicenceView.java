package dev.fairlead.fleet.licence.service;

import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.licence.LicenceStore.Held;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A licence and its holds, as the API returns it. */
@Schema(name = "LicenceResponse")
public record LicenceView(
    @Schema(description = "Name of the licence, a DNS label") String name,
    @Schema(description = "Number of licences, 0 to 1000000") int count,
    @Schema(description = "Name of the only cluster whose jobs can hold it. Null for all clusters")
        @Nullable String cluster,
    @Schema(description = "Sum of all holds. Can exceed count after the count was lowered")
        long held,
    @Schema(description = "Number of attempts that hold it") long jobs) {
  static LicenceView of(Licence licence, Held held) {
    return new LicenceView(
        licence.name(), licence.count(), licence.cluster(), held.count(), held.attempts());
  }
}
