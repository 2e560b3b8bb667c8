package dev.fairlead.money.usage.web;

import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Labels;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PutBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.money.usage.UsageLabels;
import dev.fairlead.money.usage.service.UsageLabelCommands;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Size;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestBody;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Sets the job labels that group the use of a tenant. */
@ApiController(ApiPaths.ROOT + "/usage/labels")
@Tag(name = "Usage")
class UsageLabelController {
  private final UsageLabelCommands labels;

  UsageLabelController(UsageLabelCommands labels) {
    this.labels = labels;
  }

  /**
   * Job labels that group usage in reports.
   *
   * @param from start of the first hour in UTC. The labels apply until a later entry begins
   * @param keys label keys of jobs, empty if none
   * @param by caller that set the labels
   */
  @Schema(name = "UsageLabelsResponse")
  record UsageLabelsResponse(Instant from, List<String> keys, String by) {
    private static UsageLabelsResponse of(UsageLabels named) {
      return new UsageLabelsResponse(named.from(), named.keys(), named.by());
    }
  }

  /** New job labels that group usage in reports. */
  @Schema(name = "NameUsageLabelsRequest")
  record NameUsageLabelsRequest(
      @Schema(description = "Label keys of jobs, at most three. Empty for none")
          @Size(max = UsageLabels.MOST)
          @JsonDeserialize(contentUsing = KeyReader.class)
          List<String> keys)
      implements RequestRules {
    @Override
    public void check(Fields given) {
      SortedSet<String> seen = new TreeSet<>();
      List<Value> items = given.get("keys").map(v -> v.items(UsageLabels.MOST)).orElse(List.of());
      for (int i = 0; keys != null && i < items.size(); i++) {
        if (!seen.add(keys.get(i))) {
          items.get(i).bad("is named twice", null);
        }
      }
    }
  }

  /** Reads a label key of jobs. */
  static final class KeyReader extends FieldReader<String> {
    @Override
    protected Optional<String> read(Value value) {
      return value.text(Labels.LONGEST_KEY).filter(key -> Labels.key(key, value));
    }
  }

  @Operation(
      operationId = "listUsageLabels",
      summary = "List usage labels",
      description =
          "Lists the entries, newest first, at most 100. Each entry applies until a later one"
              + " begins.")
  @GetMapping
  Page<UsageLabelsResponse> named(Actor actor) {
    return Page.whole(labels.named(actor).stream().map(UsageLabelsResponse::of).toList());
  }

  @Operation(
      operationId = "nameUsageLabels",
      summary = "Set usage labels",
      description =
          "Sets at most three label keys, which replace the previous keys from the next hour (UTC)."
              + " Usage has the labels that the job had at the start of the attempt. For each hour"
              + " and key, the 100 values with the most GPU time are stored. All other values are"
              + " stored as other. Requires the role owner of the tenant.")
  @PutBody
  UsageLabelsResponse name(
      Actor actor,
      @RequestBody NameUsageLabelsRequest request,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    return UsageLabelsResponse.of(labels.name(actor, request.keys(), options.validateOnly()));
  }
}
