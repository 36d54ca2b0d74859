/** The components of ffmpeg that the engine uses. Verified at the start, and the image builds only these. */
export const requiredComponents = {
  // ffmpeg itself turns a source by `rotate` if its angle is not a right angle
  filters: [
    ..."adelay afade aformat alimiter alphaextract alphamerge ametadata amix amultiply anullsrc apad aresample areverse asetnsamples asetpts asplit atempo".split(
      " ",
    ),
    ..."atrim blend bwdif chromakey color colorchannelmixer colorspace concat crop despill ebur128 eq extractplanes fade format fps framerate gblur geq haldclut".split(
      " ",
    ),
    // a build with haldclut alone lacks its code for x86, which belongs to lut3d
    ..."hflip hstack join loop lut lut3d mergeplanes nullsink overlay pad palettegen paletteuse pan perspective reverse rotate scale select setparams".split(
      " ",
    ),
    ..."setpts setsar settb".split(" "),
    ..."sidechaincompress sidedata split tblend tonemap tpad transpose trim unpremultiply vflip volume vstack zoompan zscale".split(
      " ",
    ),
  ],
  // frames go to the muxer `null` as wrapped_avframe
  encoders: [
    ..."aac flac gif libmp3lame libopus libvpx-vp9 libx264 pcm_f32le pcm_s16le png prores_ks rawvideo wrapped_avframe".split(
      " ",
    ),
  ],
  muxers: "flac gif image2 mov mp3 mp4 null rawvideo s16le segment wav webm".split(" "),
  decoders: ["aac", "h264", "hevc", "libvpx", "libvpx-vp9", "png"],
} as const;
