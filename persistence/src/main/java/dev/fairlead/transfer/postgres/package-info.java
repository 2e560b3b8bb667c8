/** Transfers of volumes on PostgreSQL. */
@NullMarked
package dev.fairlead.transfer.postgres;

import org.jspecify.annotations.NullMarked;
