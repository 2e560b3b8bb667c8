package dev.fairlead.money.statement.web;

import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.money.statement.DeviceUse;
import dev.fairlead.money.statement.Statement;
import dev.fairlead.money.statement.service.StatementCommands;
import dev.fairlead.money.statement.service.Statements;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.headers.Header;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Monthly statements of the tenant in use. */
@ApiController(ApiPaths.ROOT + "/statements")
@Tag(name = "Statements")
class StatementController {
  private static final String CSV = "text/csv";
  private static final String PRELIMINARY = "Fairlead-Preliminary";
  private static final int USUAL_MONTHS = 12;
  private static final int FIRST_YEAR = 1970;
  private static final int LAST_YEAR = 9997;
  private final Statements statements;
  private final StatementCommands commands;
  private final PageTokens tokens;
  private final InstantSource clock;

  StatementController(
      Statements statements, StatementCommands commands, PageTokens tokens, InstantSource clock) {
    this.statements = statements;
    this.commands = commands;
    this.tokens = tokens;
    this.clock = clock;
  }

  @Operation(
      operationId = "listStatements",
      summary = "List statements",
      description =
          "Lists the use and cost of the tenant by month in UTC, without lines. At most 36"
              + " months.")
  @GetMapping
  Page<StatementSummary> list(
      Actor actor,
      @Parameter(description = "First month, such as 2030-01. Default: eleven months before `to`.")
          @RequestParam(required = false)
          @Nullable String from,
      @Parameter(description = "Last month. Default: the current month.")
          @RequestParam(required = false)
          @Nullable String to) {
    YearMonth last =
        to == null ? YearMonth.from(clock.instant().atZone(ZoneOffset.UTC)) : month("to", to);
    YearMonth first = from == null ? last.minusMonths(USUAL_MONTHS - 1L) : month("from", from);
    return Page.whole(
        statements.list(actor, first, last).stream().map(StatementSummary::of).toList());
  }

  @Operation(
      operationId = "getStatement",
      summary = "Read a statement",
      description =
          "Returns the use and cost of each project in the month by queue, cluster, pool,"
              + " model and capacity type, with one line for each price. The price at the start of"
              + " an hour applies to the whole hour. volumes contains the storage of each volume,"
              + " with one line for each price. A signed statement is returned exactly as it was"
              + " signed.")
  @ApiResponse(
      responseCode = "200",
      description = "The statement.",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON_VALUE,
              schema = @Schema(implementation = StatementResponse.class)))
  @GetMapping("/{month}")
  ResponseEntity<byte[]> one(Actor actor, @PathVariable String month) {
    return answer(MediaType.APPLICATION_JSON, statements.document(actor, month("month", month)));
  }

  @Operation(
      operationId = "listStatementDevices",
      summary = "List the GPUs of a statement",
      description =
          "Lists the time of each GPU in members of each project in the month, by the UUID of"
              + " the GPU. GPUs of a node without a known UUID are one item without gpu. Time in"
              + " which a GPU was out of service is included, although no statement charges it."
              + " Of the last 400 days.")
  @GetMapping("/{month}/devices")
  ResponseEntity<Page<StatementDeviceResponse>> devices(
      Actor actor,
      @PathVariable String month,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    YearMonth which = month("month", month);
    String filter = "devices " + which;
    DeviceUse.Key after =
        tokens.position(actor, filter, pageToken).map(StatementDeviceResponse::key).orElse(null);
    List<DeviceUse> found = statements.devices(actor, which, after, size + 1);
    return tokens
        .page(actor, filter, size, found, StatementDeviceResponse::position)
        .map(StatementDeviceResponse::of)
        .answer();
  }

  @Operation(
      operationId = "signStatement",
      summary = "Sign a statement",
      description =
          "Stores the statement permanently. Refused until all hours of the month are closed,"
              + " which is at least ten minutes after the end of the month. A statement that is"
              + " already signed is returned unchanged.")
  @ApiResponse(
      responseCode = "200",
      description = "The signed statement.",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON_VALUE,
              schema = @Schema(implementation = StatementResponse.class)))
  @PostMapping("/{month}/sign-off")
  ResponseEntity<byte[]> sign(Actor actor, @PathVariable String month, WriteOptions options) {
    return answer(
        MediaType.APPLICATION_JSON,
        commands.sign(actor, month("month", month), options.validateOnly()));
  }

  @Operation(
      operationId = "getStatementCorrections",
      summary = "Read corrections of a signed statement",
      description =
          "Returns the additional rows that the statement would have if it were created"
              + " now, after hours were recomputed. Rows to remove are negative. The"
              + " signed statement never changes.")
  @GetMapping("/{month}/corrections")
  StatementCorrectionsResponse corrections(Actor actor, @PathVariable String month) {
    YearMonth which = month("month", month);
    return StatementCorrectionsResponse.of(which, statements.corrections(actor, which));
  }

  @Operation(
      operationId = "exportStatement",
      summary = "Export a statement as FOCUS",
      description =
          "Exports the lines in the columns of FOCUS (FinOps Open Cost and Usage Specification) as"
              + " CSV. A project is a sub-account, a cluster is a region, and a queue or a volume"
              + " is a resource. Usage without a price has cost 0 and no currency. While an hour of"
              + " the month may still change, the header Fairlead-Preliminary and the column"
              + " x_Preliminary are true.")
  @ApiResponse(
      responseCode = "200",
      description = "The statement as CSV.",
      headers =
          @Header(
              name = PRELIMINARY,
              description = "Whether an hour of the month may still change.",
              schema = @Schema(type = "boolean")),
      content = @Content(mediaType = CSV, schema = @Schema(type = "string")))
  @GetMapping(path = "/{month}/focus", produces = CSV)
  ResponseEntity<byte[]> export(
      Actor actor,
      @PathVariable String month,
      @Parameter(description = "Version of FOCUS: 1.0, or 1.2 with the columns of 1.1 and 1.2.")
          @RequestParam(defaultValue = "1.0")
          String version) {
    FocusVersion wanted =
        FocusVersion.parse(version)
            .orElseThrow(() -> Parameters.refused("version", "must be 1.0 or 1.2"));
    Statement statement = statements.statement(actor, month("month", month));
    return ResponseEntity.ok()
        .header(PRELIMINARY, String.valueOf(statement.preliminary()))
        .contentType(MediaType.valueOf(CSV))
        .body(FocusCsv.of(statement, wanted).getBytes(StandardCharsets.UTF_8));
  }

  private static ResponseEntity<byte[]> answer(MediaType type, String text) {
    return ResponseEntity.ok().contentType(type).body(text.getBytes(StandardCharsets.UTF_8));
  }

  static YearMonth month(String name, String given) {
    return read(given)
        .orElseThrow(() ->
            Parameters.refused(name, "must be a month from 1970-01 to 9997-12 such as 2030-01"));
  }

  /** Empty if the text is not a month within the supported years. */
  static Optional<YearMonth> read(String given) {
    try {
      return Optional.of(YearMonth.parse(given))
          .filter(month -> month.getYear() >= FIRST_YEAR && month.getYear() <= LAST_YEAR);
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }
}
