/** Campaigns on PostgreSQL. */
@NullMarked
package dev.fairlead.campaign.postgres;

import org.jspecify.annotations.NullMarked;
