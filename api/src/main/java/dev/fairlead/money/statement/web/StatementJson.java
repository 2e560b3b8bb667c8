package dev.fairlead.money.statement.web;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.money.statement.Statement;
import dev.fairlead.money.statement.StatementBuilder;
import dev.fairlead.money.statement.service.StatementDocuments;
import dev.fairlead.people.tenant.TenantId;
import java.time.YearMonth;
import java.util.List;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Statements as the JSON of {@link StatementResponse}, written like any other response. */
@Component
class StatementJson implements StatementDocuments {
  private final JsonMapper mapper;

  StatementJson(JsonMapper mapper) {
    this.mapper = mapper;
  }

  @Override
  public String write(Statement statement) {
    return mapper.writeValueAsString(StatementResponse.of(statement));
  }

  @Override
  public Statement read(String document) {
    StatementResponse said = mapper.readValue(document, StatementResponse.class);
    StatementResponse.StatementSignature signed = said.signed();
    TenantId tenant = new TenantId(ApiPaths.id(IdKind.TENANT, said.tenant().id()));
    List<StatementVolumeResponse> volumes = said.volumes();
    List<StatementTokensResponse> tokens = said.tokens();
    List<IdleShareResponse> idle = said.idle();
    return StatementBuilder.builder()
        .tenant(tenant)
        .tenantName(said.tenant().name())
        .month(YearMonth.parse(said.month()))
        .preliminary(said.preliminary())
        .signed(signed == null ? null : new Statement.Signature(signed.by(), signed.at()))
        .lines(said.lines().stream().map(StatementLines::line).toList())
        .volumes(
            volumes == null
                ? List.of()
                : volumes.stream().map(StatementVolumeResponse::line).toList())
        .tokens(
            tokens == null
                ? List.of()
                : tokens.stream().map(StatementTokensResponse::line).toList())
        .idle(idle == null ? List.of() : idle.stream().map(share -> share.line(tenant)).toList())
        .build();
  }
}
