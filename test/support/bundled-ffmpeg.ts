process.env.FFMPEG_PATH ||= "bundled";
