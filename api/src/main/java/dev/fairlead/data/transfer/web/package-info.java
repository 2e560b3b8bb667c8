/** Transfers of volumes over HTTP. */
@NullMarked
package dev.fairlead.data.transfer.web;

import org.jspecify.annotations.NullMarked;
