/** Volumes of projects over HTTP. */
@NullMarked
package dev.fairlead.data.volume.web;

import org.jspecify.annotations.NullMarked;
