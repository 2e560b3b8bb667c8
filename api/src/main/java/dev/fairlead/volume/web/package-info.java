/** Volumes of projects over HTTP. */
@NullMarked
package dev.fairlead.volume.web;

import org.jspecify.annotations.NullMarked;
