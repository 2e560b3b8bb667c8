/** Transfers of volumes on PostgreSQL. */
@NullMarked
package dev.fairlead.data.transfer.postgres;

import org.jspecify.annotations.NullMarked;
