/** REST endpoints of transfers of volumes. */
@NullMarked
package dev.fairlead.data.transfer.web;

import org.jspecify.annotations.NullMarked;
