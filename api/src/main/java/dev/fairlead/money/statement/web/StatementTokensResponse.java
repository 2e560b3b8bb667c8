package dev.fairlead.money.statement.web;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.money.statement.TokenLine;
import dev.fairlead.money.statement.web.StatementLineResponse.StatementThing;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.cost.ServiceCost;
import dev.fairlead.work.serving.key.KeyUse;
import dev.fairlead.work.serving.key.ServiceKey;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Usage of a model service API key in the month. Its cost is already part of the cost of the lines.
 *
 * @param service model service of the key
 * @param key name of the key
 * @param requests requests that reached a replica
 * @param promptTokens prompt tokens that the usage objects of responses report
 * @param completionTokens completion tokens that the usage objects of responses report
 * @param unmeteredRequests POST requests with a status below 400 and without a usage object, so
 *     their tokens are unknown
 * @param included share of the key in the cost of the replicas, by tokens, null if unknown
 * @param unknown reason why included is unknown, null if it is known
 * @param costCentre cost centre of the project when the statement was created, null if none
 */
@RecordBuilder
record StatementTokensResponse(
    StatementThing service,
    StatementThing project,
    String key,
    long requests,
    long promptTokens,
    long completionTokens,
    long unmeteredRequests,
    @Nullable StatementIncluded included,
    ServiceCost.@Nullable Unknown unknown,
    @Nullable String costCentre) {
  /**
   * Cost that lines of the statement include.
   *
   * @param amount amount in whole millionths of a unit. The keys of a service add up to the cost of
   *     its replicas
   * @param currency currency (ISO 4217)
   */
  record StatementIncluded(BigDecimal amount, String currency) {
    static @Nullable StatementIncluded of(TokenLine.@Nullable Share share) {
      return share == null
          ? null
          : new StatementIncluded(StatementLines.amount(share.micros()), share.currency());
    }

    TokenLine.Share share() {
      return new TokenLine.Share(StatementLines.micros(amount), currency);
    }
  }

  static StatementTokensResponse of(TokenLine line) {
    TokenLine.Names names = line.names();
    KeyUse use = line.use();
    return StatementTokensResponseBuilder.builder()
        .service(new StatementThing(line.service().text(), names.service()))
        .project(new StatementThing(line.project().text(), names.project()))
        .key(line.key().name())
        .requests(use.requests())
        .promptTokens(use.promptTokens())
        .completionTokens(use.completionTokens())
        .unmeteredRequests(use.unmetered())
        .included(StatementIncluded.of(line.share()))
        .unknown(line.unknown())
        .costCentre(names.costCentre())
        .build();
  }

  TokenLine line() {
    ModelServiceId of = new ModelServiceId(ApiPaths.id(IdKind.MODEL_SERVICE, service.id()));
    return new TokenLine(
        new ServiceKey.Name(of, key),
        new ProjectId(ApiPaths.id(IdKind.PROJECT, project.id())),
        new TokenLine.Names(service.name(), project.name(), costCentre),
        new KeyUse(requests, promptTokens, completionTokens, unmeteredRequests),
        included == null ? null : included.share(),
        unknown);
  }
}
