/** Transfers of volumes over HTTP. */
@NullMarked
package dev.fairlead.transfer.web;

import org.jspecify.annotations.NullMarked;
