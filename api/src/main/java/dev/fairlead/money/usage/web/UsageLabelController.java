package dev.fairlead.money.usage.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyConverter;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Labels;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.money.usage.UsageLabels;
import dev.fairlead.money.usage.service.UsageLabelCommands;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The labels by which the use of a tenant is added up. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT + "/usage/labels",
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Usage")
class UsageLabelController {
  private final UsageLabelCommands labels;

  UsageLabelController(UsageLabelCommands labels) {
    this.labels = labels;
  }

  /**
   * Labels by which use is added up.
   *
   * @param from begin of the first hour, in UTC; until a later one begins
   * @param keys of labels of jobs; empty for none
   * @param by name of the caller that named them
   */
  @Schema(name = "UsageLabelsResponse")
  record UsageLabelsResponse(Instant from, List<String> keys, String by) {
    private static UsageLabelsResponse of(UsageLabels named) {
      return new UsageLabelsResponse(named.from(), named.keys(), named.by());
    }
  }

  /** Labels by which use is to be added up. */
  @Schema(name = "NameUsageLabelsRequest")
  record NameUsageLabelsRequest(
      @Schema(description = "Keys of labels of jobs, at most three; empty for none")
          List<String> keys) {}

  @Operation(
      operationId = "listUsageLabels",
      summary = "List usage labels",
      description = "The newest first, at most a hundred; each until a later one begins.")
  @GetMapping
  Page<UsageLabelsResponse> named(Actor actor) {
    return Page.whole(labels.named(actor).stream().map(UsageLabelsResponse::of).toList());
  }

  @Operation(
      operationId = "nameUsageLabels",
      summary = "Set usage labels",
      description =
          "At most three keys, which replace the current ones from the next hour (UTC) on. Usage records carry the labels "
              + "that the job had when the attempt started. In an hour the 100 values of a key with the most GPU time are "
              + "retained; the rest counts as the value other. For owners of the tenant.",
      requestBody =
          @io.swagger.v3.oas.annotations.parameters.RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = NameUsageLabelsRequest.class))))
  @PutMapping(consumes = {MediaType.APPLICATION_JSON_VALUE, BodyConverter.YAML})
  UsageLabelsResponse name(
      Actor actor, @RequestBody Body body, @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    FieldProblems problems = new FieldProblems();
    Fields fields = body.fields(problems);
    List<String> keys =
        fields
            .required("keys", "a list of at most three keys of labels.")
            .map(UsageLabelController::keys)
            .orElse(List.of());
    fields.done();
    problems.refuse();
    return UsageLabelsResponse.of(labels.name(actor, keys, options.validateOnly()));
  }

  private static List<String> keys(Value list) {
    List<String> keys = new ArrayList<>();
    for (Value item : list.items(UsageLabels.MOST)) {
      item.text(Labels.LONGEST_KEY)
          .filter(key -> Labels.key(key, item))
          .ifPresent(key -> {
            if (keys.contains(key)) {
              item.bad("is named twice", null);
            }
            keys.add(key);
          });
    }
    return keys;
  }
}
