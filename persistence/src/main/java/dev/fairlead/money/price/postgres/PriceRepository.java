package dev.fairlead.money.price.postgres;

import java.util.List;
import java.util.UUID;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

/** Rows of {@code price}. */
interface PriceRepository extends Repository<PriceEntity, UUID> {
  PriceEntity saveAndFlush(PriceEntity row);

  List<PriceRow> findByOrderById();

  /** Those of pools that the tenant may use, and those of no pool. */
  @Query(
      """
      select p from PriceEntity p
      where p.pool is null
        or p.pool in (
          select o.name from PoolEntity o
          where o.changeable.tenant is null or o.changeable.tenant = :tenant)
      order by p.id
      """)
  List<PriceRow> seenBy(@Param("tenant") UUID tenant);

  int countBy();
}
