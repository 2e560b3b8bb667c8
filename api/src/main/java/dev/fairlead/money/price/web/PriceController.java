package dev.fairlead.money.price.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.SpellingSuggestion;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.service.PriceCommands;
import dev.fairlead.money.price.service.PriceView;
import dev.fairlead.money.price.service.Prices;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URI;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** Reads and extends the price book. */
@ApiController(ApiPaths.ROOT + "/prices")
@Tag(name = "Prices")
class PriceController {
  private final Prices prices;
  private final PriceCommands commands;
  private final PageTokens tokens;

  PriceController(Prices prices, PriceCommands commands, PageTokens tokens) {
    this.prices = prices;
    this.commands = commands;
    this.tokens = tokens;
  }

  @Operation(
      operationId = "listPrices",
      summary = "List prices",
      description =
          "Lists prices, newest first, without prices of other tenants' pools. If several prices"
              + " apply, the most specific one counts: pool before cluster, cluster before"
              + " model, model before capacity type. For storage, cluster comes before storage"
              + " class.")
  @GetMapping
  ResponseEntity<Page<PriceView>> list(
      Actor actor,
      @RequestParam(required = false) @Nullable String at,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    String filter = "prices " + at;
    Instant then = at == null ? null : Parameters.time("at", at);
    PriceId before =
        tokens
            .position(actor, filter, pageToken)
            .map(text -> new PriceId(ApiPaths.id(IdKind.PRICE, text)))
            .orElse(null);
    List<PriceView> found = prices.list(actor, then, before, size + 1);
    return tokens.page(actor, filter, size, found, PriceView::id).answer();
  }

  @Operation(
      operationId = "getPrice",
      summary = "Read a price",
      description = "A price and its id never change.")
  @GetMapping("/{price}")
  PriceView one(Actor actor, @PathVariable String price) {
    return prices.one(actor, new PriceId(ApiPaths.id(IdKind.PRICE, price)));
  }

  @Operation(
      operationId = "createPrice",
      summary = "Add a price",
      description =
          "The price book is append-only: a price starts now or later, and past prices"
              + " never change. A second price for the same cluster, pool, model, capacity type or"
              + " storage at the same time is refused, unless replaces names the price it"
              + " ends. The model must be in the catalogue or in a cluster. A price with"
              + " pricePerGibMonth applies to storage of volumes.")
  @ApiResponse(responseCode = "201", description = "Price added.", useReturnTypeSchema = true)
  @PostBody
  ResponseEntity<PriceView> create(
      Actor actor,
      @RequestBody @BodyOf(CreatePriceRequest.class) Body body,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    CreatePriceRequest request = BodyBinder.bind(body, CreatePriceRequest.class);
    if (request.replaces() == null) {
      requireKnown(request.model());
    }
    PriceView made =
        commands.create(
            actor,
            (id, now) -> request.price(id, prices.place(request.cluster(), request.pool()), now),
            options.key("prices", body),
            options.validateOnly());
    return ResponseEntity.status(HttpStatus.CREATED)
        .location(URI.create(ApiPaths.v1("/prices/" + made.id())))
        .body(made);
  }

  /**
   * A price of a misspelt model would never apply. A replacement has the model of the price that it
   * replaces, also after the last GPU of that model left.
   */
  private void requireKnown(@Nullable String model) {
    SortedSet<String> models = model == null ? Collections.emptySortedSet() : prices.models();
    if (model == null || models.contains(model)) {
      return;
    }
    String near = SpellingSuggestion.to(model, models).orElse(null);
    String detail =
        "No GPU has the model \"%s\": neither the catalogue nor a cluster has it. %s"
            .formatted(
                model,
                near == null
                    ? "GET /api/v1/gpu-models lists the catalogue, and a cluster has its models"
                        + " from its first report."
                    : "Did you mean " + near + "?");
    throw new Refusal(
        ProblemCode.INVALID_FIELD,
        detail,
        List.of(new FieldProblem("/model", ProblemCode.INVALID_FIELD, detail, near)));
  }
}
